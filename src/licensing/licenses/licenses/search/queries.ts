import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { containsPattern } from '#kernel/db/dialect.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { canonicalKey, keyShape } from '#licensing/catalog/key-formats/index.ts';
import type { LicenseStatus, LicenseTier, LicenseType } from '#licensing/contract/enumerations.ts';
import { keyDigest } from '../../standing/index.ts';

/** Which licenses a list holds; what is left out does not narrow it. */
export interface LicenseFilter {
  productId?: string | undefined;
  /** The computed status (D34). */
  status?: LicenseStatus | undefined;
  type?: LicenseType | undefined;
  tier?: LicenseTier | undefined;
  policyId?: string | undefined;
  email?: string | undefined;
  customerIds?: readonly string[] | undefined;
  orderId?: string | undefined;
  machineId?: string | undefined;
  /** ACTIVE licenses that end before this time. */
  expiringBefore?: string | undefined;
  /** Licenses with a machine that was last seen before this time. */
  staleBefore?: string | undefined;
  /** Key prefix, whole key, id, e-mail, order, customer name, id or name of a live machine. */
  q?: string | undefined;
  /** Those in the trash, and only those. */
  trashed?: boolean | undefined;
}

/**
 * Narrows a query over `licenses as l`, `license_keys as k` and `license_customers as c` to a filter.
 *
 * @param now ISO 8601 UTC, for what depends on time (D34)
 */
export function narrow(ctx: Ctx, query: Knex.QueryBuilder, filter: LicenseFilter, now: string): void {
  const { knex } = ctx.db;
  visibleTo(ctx, query, { license_product: 'l.product_id' });
  const equal: Record<string, string | undefined> = {
    'l.product_id': filter.productId,
    'l.type': filter.type,
    'l.tier': filter.tier,
    'l.policy_id': filter.policyId,
    'c.email_norm': filter.email?.trim().toLowerCase(),
    'l.order_id': filter.orderId,
  };
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(column, value);
  if (filter.status) byStatus(query, filter.status, now);
  if (filter.expiringBefore) {
    query
      .where('l.status', 'ACTIVE')
      .where('l.valid_until', '>', now)
      .where('l.valid_until', '<', filter.expiringBefore);
  }
  if (filter.customerIds) query.whereIn('l.customer_id', [...filter.customerIds]);
  const machines = liveMachines(knex, now);
  if (filter.machineId) query.whereExists(machines.clone().where('a.machine_id', filter.machineId));
  if (filter.staleBefore)
    query.whereExists(machines.clone().where('a.last_seen_at', '<', filter.staleBefore));
  if (filter.q) bySearch(ctx, query, filter.q, now);
}

/** A lease that has run out is no live machine, swept or not (D75). */
const liveMachines = (knex: Knex, now: string): Knex.QueryBuilder =>
  knex('license_activations as a')
    .whereRaw('a.license_id = l.id')
    .whereNull('a.ended_at')
    .where((live) => live.whereNull('a.lease_expires_at').orWhere('a.lease_expires_at', '>', now));

function byStatus(query: Knex.QueryBuilder, status: LicenseStatus, now: string): void {
  if (status === 'ACTIVE') {
    query
      .where('l.status', 'ACTIVE')
      .where((open) => open.whereNull('l.valid_until').orWhere('l.valid_until', '>', now));
  } else if (status === 'EXPIRED') {
    query.where((expired) =>
      expired
        .where('l.status', 'EXPIRED')
        .orWhere((due) => due.where('l.status', 'ACTIVE').where('l.valid_until', '<=', now)),
    );
  } else query.where('l.status', status);
}

function bySearch(ctx: Ctx, query: Knex.QueryBuilder, text: string, now: string): void {
  const { knex } = ctx.db;
  const pattern = containsPattern(text);
  query.where((any) => {
    any.where('l.id', text).orWhere('l.order_id', text);
    if (keyShape(text)) any.orWhere('k.digest', keyDigest(ctx, canonicalKey(text)));
    for (const column of ['c.email_norm', 'c.name', 'k.prefix']) {
      any.orWhere(knex.raw("lower(??) LIKE lower(?) ESCAPE '\\'", [column, pattern]));
    }
    any.orWhereExists(
      liveMachines(knex, now).whereRaw(
        "(a.machine_id = ? OR lower(a.machine_name) LIKE lower(?) ESCAPE '\\')",
        [text, pattern],
      ),
    );
  });
}
