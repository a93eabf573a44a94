import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { LICENSE_STATUSES } from '#licensing/contract/enumerations.ts';

/** How much the whole installation holds. */
export interface Totals {
  licenses: number;
  products: number;
  customers: number;
  /** Live ones only. */
  activations: number;
}

/** Counts over all tenants; trashed licenses and honeypots are not counted. */
export async function countAll(ctx: Ctx): Promise<Totals> {
  const { knex } = ctx.db;
  const row = await knex
    .select({
      licenses: knex('licenses').where({ deleted_at: null, honeypot: false }).count('*'),
      products: knex('license_products').count('*'),
      customers: knex('license_customers').count('*'),
      activations: knex('license_activations').whereNull('ended_at').count('*'),
    })
    .first();
  const count = (name: keyof Totals): number => Number(row?.[name] ?? 0);
  return {
    licenses: count('licenses'),
    products: count('products'),
    customers: count('customers'),
    activations: count('activations'),
  };
}

// It counts along indexes and takes off what is hidden, which is little: with its condition the count would read every
// row. A honeypot belongs to nobody, and only a honeypot does.
const byStatus = statement<{ now: string }, { status: string; n: unknown }>((q, p) =>
  q.raw(
    'SELECT status, sum(n) AS n FROM (' +
      'SELECT status, count(*) AS n FROM licenses GROUP BY status ' +
      "UNION ALL SELECT 'ACTIVE', -count(*) FROM licenses WHERE status = 'ACTIVE' AND valid_until <= ? " +
      "UNION ALL SELECT 'EXPIRED', count(*) FROM licenses WHERE status = 'ACTIVE' AND valid_until <= ? " +
      "UNION ALL SELECT CASE WHEN status = 'ACTIVE' AND valid_until <= ? THEN 'EXPIRED' ELSE status END, -count(*) " +
      'FROM (SELECT status, valid_until FROM licenses WHERE deleted_at IS NOT NULL ' +
      'UNION ALL SELECT status, valid_until FROM licenses WHERE customer_id IS NULL AND deleted_at IS NULL) AS hidden ' +
      'GROUP BY 1) AS counted GROUP BY status',
    [p('now'), p('now'), p('now')],
  ),
);

/** Licenses by the status that they show (D34), of all tenants, without trashed ones and honeypots; each status is there. */
export async function countLicensesByStatus(ctx: Ctx): Promise<Map<string, number>> {
  const rows = await byStatus.all(ctx.db, { now: ctx.now() });
  const counts = new Map(rows.map(({ status, n }) => [status, Number(n)]));
  return new Map(LICENSE_STATUSES.map((status) => [status, counts.get(status) ?? 0]));
}

/** Seats in use, of all tenants: machines that were activated, and leases that have not run out (D75). */
export async function countSeatsInUse(ctx: Ctx): Promise<{ machines: number; leases: number }> {
  const { knex } = ctx.db;
  const [counted] = await knex('license_activations')
    .whereNull('ended_at')
    .where((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', ctx.now()))
    .count({ all: '*', leases: 'lease_expires_at' });
  const leases = Number(counted?.leases ?? 0);
  return { machines: Number(counted?.all ?? 0) - leases, leases };
}
