import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { timestamp } from '#kernel/http/fields.ts';
import { shownBy } from '#kernel/service/view.ts';
import { normalEmail } from '#licensing/catalog/customers/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ACTIVATION_KINDS } from '#licensing/contract/enumerations.ts';
import { activationRecord, machineSearch } from '../../activations/index.ts';
import { type AdminActivation, AdminActivationView } from '../view.ts';

/** Machines of the licenses of a customer. */
function ofCustomer(query: Knex.QueryBuilder, email: string, { db, tenantId }: Ctx): void {
  const known = db.knex('license_customers').select('id');
  query.whereIn('l.customer_id', known.where({ tenant_id: tenantId, email_norm: normalEmail(email) }));
}

/** An activation with what tells whether it is stale. */
export type ActivationRow = Omit<AdminActivation, 'stale'> & { heartbeatMinutes: number | null };

/** Machines of licenses outside the trash; those that have ended only when they are asked for. */
export const activationRows = selection<ActivationRow, Record<string, unknown>>({
  from: ({ db }) =>
    db
      .knex('license_activations as a')
      .join('licenses as l', 'l.id', 'a.license_id')
      .whereNull('l.deleted_at'),
  id: 'a.id',
  scope: { tenant: 'a.tenant_id', license_product: 'l.product_id' },
  columns: [
    'a.*',
    'k.prefix as key_prefix',
    'l.product_id',
    'p.slug as product_slug',
    'o.heartbeat_interval',
  ],
  joins: {
    shown: (query) =>
      query
        .joinRaw("join license_keys as k on k.license_id = l.id and k.kind = 'CURRENT'")
        .joinRaw('join license_products as p on p.id = l.product_id')
        .joinRaw('left join license_policies as o on o.id = coalesce(l.policy_id, p.policy_id)'),
  },
  shows: ['shown'],
  read: (row) => ({
    ...activationRecord.read(row),
    keyPrefix: row.key_prefix as string,
    productId: row.product_id as string,
    productSlug: row.product_slug as string,
    heartbeatMinutes: row.heartbeat_interval as number | null,
  }),
  filters: {
    productId: products.productFilter('l.product_id'),
    licenseId: filter.lookup({ label: 'License', column: 'a.license_id', resource: 'licenses' }),
    machineId: filter.text({ label: 'Machine', column: 'a.machine_id' }),
    email: filter.text({ label: 'Customer', column: ofCustomer }),
    kind: filter.choice(ACTIVATION_KINDS, { label: 'Kind', column: 'a.kind' }),
    osName: filter.text({ label: 'System', column: 'a.os_name' }),
    appVersion: filter.text({ label: 'Version', column: 'a.app_version' }),
    staleBefore: filter.other('range', timestamp(), {
      label: 'Last seen before',
      apply: (query, time) => void query.where('a.last_seen_at', '<', time),
    }),
    activated: filter.times({ label: 'Activated', column: 'a.activated_at' }),
    ended: filter.flag({ label: 'Has ended', column: (query, ended, ctx) => living(query, !ended, ctx) }),
  },
  unasked: { ended: false },
  search: machineSearch,
  sorts: { activated: 'a.activated_at', lastSeen: 'a.last_seen_at', id: 'a.id' },
  initial: 'activated',
});

/** A lease that has run out is no live machine, swept or not (D75). */
function living(query: Knex.QueryBuilder, isLive: boolean, ctx: Ctx): void {
  const now = ctx.now();
  if (isLive)
    query.whereNull('a.ended_at').where((live) => {
      live.whereNull('a.lease_expires_at').orWhere('a.lease_expires_at', '>', now);
    });
  else query.where((over) => over.whereNotNull('a.ended_at').orWhere('a.lease_expires_at', '<=', now));
}

/** An activation as staff see it. */
export const shownActivation = (row: ActivationRow, ctx: Ctx): AdminActivation =>
  shownBy(AdminActivationView, { ...row, stale: isStale(row, ctx.now()) });

const isStale = ({ endedAt, heartbeatMinutes, lastSeenAt }: ActivationRow, now: string): boolean =>
  endedAt === null && heartbeatMinutes !== null && lastSeenAt < addSeconds(now, -heartbeatMinutes * 60);
