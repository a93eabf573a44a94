import type { Ctx } from '#kernel/context.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { type DayRange, eachDay } from '../statistics/index.ts';
import { ownLicenses } from './queries.ts';
import type { Day } from './view.ts';

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
export async function countCreated(ctx: Ctx, since: string): Promise<number> {
  const query = ctx.db
    .knex('licenses as l')
    .where('l.created_at', '>=', since)
    .where('l.honeypot', false)
    .whereNull('l.deleted_at');
  ownLicenses(ctx)(query);
  const [counted] = await query.count({ n: '*' });
  return Number(counted?.n ?? 0);
}

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
