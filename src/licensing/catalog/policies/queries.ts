import type { Ctx } from '#kernel/context.ts';
import { countsBy } from '#kernel/db/counts.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { ABUSE_ACTIONS, CULL_STRATEGIES, TRIAL_REUSE_RULES } from '#licensing/contract/enumerations.ts';
import { type Policy, policyRecord } from './record.ts';

const TABLE = policyRecord.table;

/** Policies as staff lists them. */
export const policyRows = selection<Policy>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: { tenant: 'tenant_id' },
  columns: ['*'],
  read: policyRecord.read,
  filters: {
    heartbeatCullStrategy: filter.choice(CULL_STRATEGIES, {
      label: 'Cull strategy',
      column: 'heartbeat_cull_strategy',
    }),
    trialReuse: filter.choice(TRIAL_REUSE_RULES, { label: 'Trial reuse', column: 'trial_reuse' }),
    abuseAction: filter.choice(ABUSE_ACTIONS, { label: 'Abuse action', column: 'abuse_action' }),
    linked: filter.flag({
      label: 'In use',
      column: (query, isLinked, { db }) => {
        const naming = (table: string) =>
          db
            .knex(table)
            .whereRaw('policy_id = ??', [`${TABLE}.id`])
            .select('id');
        const links = naming('license_products').unionAll(naming('licenses'));
        if (isLinked) query.whereExists(links);
        else query.whereNotExists(links);
      },
    }),
    created: filter.times({ label: 'Created', column: 'created_at' }),
  },
  search: { placeholder: 'Name', by: ['name'] },
  sorts: {
    name: 'name',
    heartbeatInterval: { column: 'heartbeat_interval', isNullable: true },
    gracePeriodSeconds: 'grace_period_seconds',
    created: 'created_at',
    updated: 'updated_at',
  },
  initial: 'name',
});

/** How many products and licenses name a policy. */
export interface PolicyLinks {
  products: number;
  /** Those that name it themselves, without trashed ones. */
  licenses: number;
}

/** What names the policies of a page, as far as the actor sees it: two questions for all of them. */
export async function linksOf(ctx: Ctx, ids: readonly string[]): Promise<(id: string) => PolicyLinks> {
  const { knex } = ctx.db;
  const own = { tenant_id: ctx.tenantId };
  const naming = visibleTo(ctx, knex('license_products').where(own), { license_product: 'id' });
  const held = visibleTo(ctx, knex('licenses').where(own).whereNull('deleted_at'), {
    license_product: 'product_id',
  });
  const products = await countsBy(naming, 'policy_id', ids);
  const licenses = await countsBy(held, 'policy_id', ids);
  return (id) => ({ products: products(id), licenses: licenses(id) });
}
