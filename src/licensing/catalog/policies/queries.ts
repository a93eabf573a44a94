import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
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
