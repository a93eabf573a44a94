import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { LICENSE_STATUSES, type LicenseStatus } from '#licensing/contract/enumerations.ts';
import { type DayRange, eachDay } from '../statistics/index.ts';
import type { Day } from './view.ts';

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

/** Narrows a query over licenses `l`: to a tenant and to what the actor sees, or not at all. */
export type Narrow = (query: Knex.QueryBuilder) => void;

/** Those of the tenant of a ctx that its actor sees. */
export const ownLicenses =
  (ctx: Ctx): Narrow =>
  (query) =>
    void visibleTo(ctx, query.where('l.tenant_id', ctx.tenantId), { license_product: 'l.product_id' });

/** Every license of the installation. */
const EVERY: Narrow = () => undefined;

/**
 * Counts licenses by the status that they show (D34), each status is there; trashed ones and canary keys left out. One
 * index has them in this order, another one those that have ended: asked for at once, every end would be compared.
 */
export async function countLicenses(
  ctx: Ctx,
  narrow: Narrow = EVERY,
): Promise<Readonly<Record<LicenseStatus, number>>> {
  const query = countable(ctx, narrow).groupBy('l.status').select('l.status').count({ n: '*' });
  const rows: { status: LicenseStatus; n: unknown }[] = await query;
  const statuses = Object.fromEntries(LICENSE_STATUSES.map((status) => [status, 0])) as Record<
    LicenseStatus,
    number
  >;
  for (const { status, n } of rows) statuses[status] += Number(n);
  const ended = await countOf(storedActive(ctx, narrow).where('l.valid_until', '<=', ctx.now()));
  statuses.ACTIVE -= ended;
  statuses.EXPIRED += ended;
  return statuses;
}

const EXPIRING_DAYS = 30;

/** How many active licenses end within 30 days; trashed ones and canary keys left out. */
export function countExpiring(ctx: Ctx, narrow: Narrow): Promise<number> {
  const now = ctx.now();
  const soon = addSeconds(now, EXPIRING_DAYS * SECONDS_PER_DAY);
  return countOf(
    storedActive(ctx, narrow).where('l.valid_until', '>', now).where('l.valid_until', '<=', soon),
  );
}

function countable({ db }: Ctx, narrow: Narrow): Knex.QueryBuilder {
  const query = db.knex('licenses as l').whereNull('l.deleted_at').where('l.honeypot', false);
  narrow(query);
  return query;
}

/** A literal: with a value that is bound, SQLite does not see that the index of ends holds all of these. */
const storedActive = (ctx: Ctx, narrow: Narrow): Knex.QueryBuilder =>
  countable(ctx, narrow).whereRaw("l.status = 'ACTIVE'");

async function countOf(query: Knex.QueryBuilder): Promise<number> {
  const [counted] = await query.count({ n: '*' });
  return Number(counted?.n ?? 0);
}

/** Seats in use: machines that were activated, and leases that have not run out (D75). */
export async function countSeatsInUse(
  ctx: Ctx,
  narrow?: Narrow,
): Promise<{ machines: number; leases: number }> {
  const query = ctx.db
    .knex('license_activations as a')
    .whereNull('a.ended_at')
    .where((live) => live.whereNull('a.lease_expires_at').orWhere('a.lease_expires_at', '>', ctx.now()));
  if (narrow) {
    query.join('licenses as l', 'l.id', 'a.license_id').whereNull('l.deleted_at');
    narrow(query);
  }
  const [counted] = await query.count({ all: '*', leases: 'a.lease_expires_at' });
  const leases = Number(counted?.leases ?? 0);
  return { machines: Number(counted?.all ?? 0) - leases, leases };
}

/** Seats that floating licenses have, those that are revoked or ended left out. */
export async function countFloatingSeats(ctx: Ctx): Promise<number> {
  const query = ctx.db
    .knex('licenses as l')
    .where({ 'l.type': 'FLOATING', 'l.status': 'ACTIVE', 'l.honeypot': false })
    .whereNull('l.deleted_at')
    .where((open) => open.whereNull('l.valid_until').orWhere('l.valid_until', '>', ctx.now()));
  ownLicenses(ctx)(query);
  const [counted] = await query.sum({ seats: 'l.max_activations' });
  return Number(counted?.seats ?? 0);
}

/** Licenses that were created since a time, trashed ones and canary keys left out. */
export const countCreated = (ctx: Ctx, since: string): Promise<number> =>
  countOf(countable(ctx, ownLicenses(ctx)).where('l.created_at', '>=', since));

/** What was asked of the licenses that the actor sees, for every day of a range. */
export async function listDays(ctx: Ctx, range: DayRange): Promise<Day[]> {
  const query = ctx.db
    .knex('license_daily_totals as t')
    .join('license_products as p', 'p.id', 't.product_id')
    .where('p.tenant_id', ctx.tenantId)
    .whereBetween('t.day', [range.from, range.to])
    .groupBy('t.day');
  visibleTo(ctx, query, { license_product: 'p.id' });
  const rows: Record<keyof Day, string>[] = await query
    .select('t.day')
    .sum({ validations: 't.validations', denials: 't.denials', heartbeats: 't.heartbeats' });
  const days = new Map(rows.map((row) => [row.day, row]));
  return eachDay(range).map((day) => ({
    day,
    validations: Number(days.get(day)?.validations ?? 0),
    denials: Number(days.get(day)?.denials ?? 0),
    heartbeats: Number(days.get(day)?.heartbeats ?? 0),
  }));
}
