import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { whereSeatsLowered } from '#kernel/db/dialect.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { timestamp } from '#kernel/http/fields.ts';
import { normalEmail } from '#licensing/catalog/customers/index.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import {
  KEY_KINDS,
  LICENSE_SOURCES,
  LICENSE_STATUSES,
  LICENSE_TIERS,
  LICENSE_TYPES,
  type LicenseStatus,
} from '#licensing/contract/enumerations.ts';
import { liveCount } from '../../standing/index.ts';
import { byText, liveMachines } from '../named/queries.ts';
import { type License, licenseColumns, licenseJoins, toLicense, withBeside } from '../queries.ts';

/** Licenses as staff lists them; those in the trash only when they are asked for, canary keys never (D131). */
export const licenseRows = selection<License, Record<string, unknown>>({
  from: ({ db }) => db.knex('licenses as l').where('l.honeypot', false),
  id: 'l.id',
  scope: { tenant: 'l.tenant_id', license_product: 'l.product_id' },
  columns: (ctx) => [...licenseColumns, liveCount(ctx.db.knex, ctx.now())],
  joins: licenseJoins,
  shows: Object.keys(licenseJoins),
  read: toLicense,
  complete: withBeside,
  filters: {
    productId: products.productFilter('l.product_id'),
    status: filter.choice(LICENSE_STATUSES, { label: 'Status', column: byStatus }),
    type: filter.choice(LICENSE_TYPES, { label: 'Type', column: 'l.type' }),
    tier: filter.choice(LICENSE_TIERS, { label: 'Tier', column: 'l.tier' }),
    policyId: filter.lookup({
      label: 'Policy',
      column: 'l.policy_id',
      resource: 'policies',
      id: async (ctx, named) => (await policies.get(ctx, named)).id,
    }),
    customerId: filter.lookup({ label: 'Customer', column: 'l.customer_id', resource: 'customers' }),
    email: filter.text({ label: 'E-mail', column: ofCustomer }),
    orderId: filter.text({ label: 'Order', column: 'l.order_id' }),
    keyPrefix: filter.text({ label: 'Key prefix', column: ofKey }),
    source: filter.choice(LICENSE_SOURCES, { label: 'Made by', column: 'l.source' }),
    machineId: filter.text({
      label: 'Machine',
      column: (query, id, ctx) => void query.whereExists(machinesOf(ctx).where('a.machine_id', id)),
    }),
    expiring: filter.within({
      label: 'Expires within',
      column: 'l.valid_until',
      presets: ['7d', '30d', '90d'],
      direction: 'ahead',
    }),
    expiringBefore: filter.other('range', timestamp(), {
      label: 'ACTIVE and expires before',
      apply(query, time, ctx) {
        query
          .whereRaw(STORED_ACTIVE)
          .where('l.valid_until', '>', ctx.now())
          .where('l.valid_until', '<', time);
      },
    }),
    staleBefore: filter.other('range', timestamp(), {
      label: 'A machine was last seen before',
      apply: (query, time, ctx) => void query.whereExists(machinesOf(ctx).where('a.last_seen_at', '<', time)),
    }),
    seenSince: filter.other('range', timestamp(), {
      label: 'A machine was seen since',
      apply: (query, time, ctx) =>
        void query.whereExists(machinesOf(ctx).where('a.last_seen_at', '>=', time)),
    }),
    neverActivated: filter.flag({
      label: 'Never activated',
      column: (query, wanted, { db }) => {
        const of = () => db.knex('license_activations as a').whereRaw('a.license_id = l.id');
        // Each has an index of its own, and both together have none.
        const [live, over] = [of().whereNull('a.ended_at'), of().whereNotNull('a.ended_at')];
        // Only licenses that are not marked yet are looked at (decision 0060).
        if (wanted) query.where('l.known_activated', false).whereNotExists(live).whereNotExists(over);
        else
          query.where((any) => any.where('l.known_activated', true).orWhereExists(live).orWhereExists(over));
      },
    }),
    overUsed: filter.flag({
      label: 'More machines than allowed',
      column: (query, wanted, ctx) => {
        void (wanted ? query.whereIn('l.id', overUsed(ctx)) : query.whereNotIn('l.id', overUsed(ctx)));
      },
    }),
    flagged: filter.flag({
      label: 'With an open abuse flag',
      column: (query, wanted, { db }) => {
        // Few have one: they are read once, instead of being looked for beside each license.
        const open = db.knex('license_abuse_flags').where('status', 'OPEN').select('license_id');
        void (wanted ? query.whereIn('l.id', open) : query.whereNotIn('l.id', open));
      },
    }),
    metadata: filter.pair({ label: 'Metadata', column: 'l.metadata' }),
    created: filter.times({ label: 'Created', column: 'l.created_at' }),
    deleted: filter.flag({
      label: 'In the trash',
      column: (query, wanted) =>
        void (wanted ? query.whereNotNull('l.deleted_at') : query.whereNull('l.deleted_at')),
    }),
  },
  // An index counts by these three; what lies behind them in it is found only when each of them is named.
  unasked: { deleted: false, status: LICENSE_STATUSES, type: LICENSE_TYPES, tier: LICENSE_TIERS },
  search: { placeholder: 'Key, email, order or machine', by: byText },
  sorts: {
    id: 'l.id',
    created: 'l.created_at',
    updated: 'l.updated_at',
    validUntil: { column: 'l.valid_until', isNullable: true },
    status: 'l.status',
    type: 'l.type',
    tier: 'l.tier',
    product: { column: 'p.name', needs: ['product'] },
    customer: { column: 'c.email_norm', needs: ['customer'] },
  },
  initial: '-id',
});

/** A literal: with a value that is bound, SQLite does not see that the index of ends holds all of these. */
const STORED_ACTIVE = "l.status = 'ACTIVE'";

/** The statuses that count (D34): what is stored as ACTIVE is EXPIRED when its date has passed. */
function byStatus(query: Knex.QueryBuilder, wanted: readonly LicenseStatus[], ctx: Ctx): void {
  const [isActive, isExpired] = [wanted.includes('ACTIVE'), wanted.includes('EXPIRED')];
  if (isActive && wanted.length === 1) {
    query
      .whereRaw(STORED_ACTIVE)
      .where((open) => open.whereNull('l.valid_until').orWhere('l.valid_until', '>', ctx.now()));
    return;
  }
  query.whereIn('l.status', isExpired ? [...new Set([...wanted, 'ACTIVE'])] : [...wanted]);
  if (isActive === isExpired) return;
  const now = ctx.now();
  query.where((any) => {
    any.whereNot('l.status', 'ACTIVE');
    if (isExpired) any.orWhere('l.valid_until', '<=', now);
    else any.orWhereNull('l.valid_until').orWhere('l.valid_until', '>', now);
  });
}

function ofCustomer(query: Knex.QueryBuilder, email: string, { db, tenantId }: Ctx): void {
  const known = db.knex('license_customers').select('id');
  query.whereIn('l.customer_id', known.where({ tenant_id: tenantId, email_norm: normalEmail(email) }));
}

/** Whose key begins so, or began so before it was replaced. */
function ofKey(query: Knex.QueryBuilder, prefix: string, { db }: Ctx): void {
  const keys = db.knex('license_keys').whereIn('kind', KEY_KINDS).where({ prefix: prefix.toUpperCase() });
  query.whereIn('l.id', keys.select('license_id'));
}

/**
 * Ids of licenses with more live machines than they allow. No machine takes a seat above the limit: only those whose
 * limit was lowered can have more, and the timeline, which stays, knows them (decision 0060).
 */
const overUsed = (ctx: Ctx): Knex.QueryBuilder =>
  ctx.db
    .knex('licenses as l')
    .where('l.tenant_id', ctx.tenantId)
    .whereIn('l.id', whereSeatsLowered(ctx.db.knex('events as e')).select('e.subject'))
    .whereRaw('(?) > l.max_activations', [machinesOf(ctx).count('*')])
    .select('l.id');

const machinesOf = (ctx: Ctx): Knex.QueryBuilder =>
  liveMachines(ctx.db.knex, ctx.now()).whereRaw('a.license_id = l.id');
