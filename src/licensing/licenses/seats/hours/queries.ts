import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { seatHourRecord } from './record.ts';

/** Which products and which time. */
export interface SeatRange {
  /** Null for all that the actor sees. */
  readonly productIds: readonly string[] | null;
  /** ISO 8601 UTC; whole hours, `from` among them. */
  readonly from: string;
  readonly to: string;
}

/** Seats of an hour or a day. */
export interface SeatsAt {
  /** `2026-03-01T14`, or `2026-03-01`. */
  readonly at: string;
  readonly used: number;
  readonly seats: number;
}

const LETTERS = { hour: 13, day: 10 } as const;

/** Of all products together: of each hour the sum, of a day its fullest hour. */
export async function listSeats(ctx: Ctx, range: SeatRange, by: keyof typeof LETTERS): Promise<SeatsAt[]> {
  const { knex } = ctx.db;
  const hours = ofProducts(ctx, knex(`${seatHourRecord.table} as h`), 'h.product_id', range)
    .where('h.hour', '>=', range.from)
    .where('h.hour', '<', range.to)
    .groupBy('h.hour')
    .select('h.hour')
    .sum({ used: 'h.used', seats: 'h.seats' });
  const rows: { hour: string; used: unknown; seats: unknown }[] = await hours.orderBy('h.hour');
  const found = new Map<string, SeatsAt>();
  for (const row of rows) {
    const at = row.hour.slice(0, LETTERS[by]);
    const [used, seats] = [Number(row.used), Number(row.seats)];
    found.set(at, { at, seats, used: Math.max(used, found.get(at)?.used ?? 0) });
  }
  return [...found.values()];
}

/** How often a seat was refused, by day, as far back as refusals are kept: a month. */
export async function listDenied(ctx: Ctx, range: SeatRange): Promise<Map<string, number>> {
  const denials = ctx.db.knex('license_denials as d').join('licenses as l', 'l.id', 'd.license_id');
  const rows: { day: string; denied: unknown }[] = await ofProducts(ctx, denials, 'l.product_id', range)
    .where({ 'd.code': 'SEATS_EXHAUSTED', 'l.type': 'FLOATING' })
    .where('d.day', '>=', range.from.slice(0, 10))
    .groupBy('d.day')
    .select('d.day')
    .sum({ denied: 'd.count' });
  return new Map(rows.map(({ day, denied }) => [day, Number(denied)]));
}

function ofProducts(
  ctx: Ctx,
  query: Knex.QueryBuilder,
  column: string,
  { productIds }: SeatRange,
): Knex.QueryBuilder {
  query.join('license_products as p', 'p.id', column).where('p.tenant_id', ctx.tenantId);
  if (productIds) query.whereIn('p.id', [...productIds]);
  return visibleTo(ctx, query, { license_product: 'p.id' });
}
