import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import type { ValuesOf } from '#kernel/db/record.ts';
import { statement } from '#kernel/db/statement.ts';
import { seatHourRecord } from './record.ts';

const TABLE = seatHourRecord.table;

/** Seats of a product in an hour. */
export type SeatHour = ValuesOf<typeof seatHourRecord>;

interface Counted {
  product_id: string;
  seats?: unknown;
  used?: unknown;
}

/** Seats of every product that has floating licenses in force; its row stays until the transaction ends. */
export async function countNow(ctx: Ctx): Promise<Omit<SeatHour, 'hour'>[]> {
  const { knex } = ctx.db;
  const now = ctx.now();
  const floating: Knex.QueryBuilder = knex('licenses as l')
    .where({ 'l.type': 'FLOATING', 'l.status': 'ACTIVE', 'l.honeypot': false })
    .whereNull('l.deleted_at')
    .where((open) => open.whereNull('l.valid_until').orWhere('l.valid_until', '>', now))
    .groupBy('l.product_id')
    .select('l.product_id')
    .sum({ seats: 'l.max_activations' });
  const leases: Knex.QueryBuilder = knex('license_activations as a')
    .join('licenses as l', 'l.id', 'a.license_id')
    .whereNull('a.ended_at')
    .whereNull('l.deleted_at')
    .where('a.lease_expires_at', '>', now)
    .groupBy('l.product_id')
    .select('l.product_id')
    .count({ used: '*' });
  const seats: Counted[] = await floating;
  const used: Counted[] = await leases;
  const inUse = new Map(used.map((row) => [row.product_id, Number(row.used)]));
  const living = await knex('license_products')
    .whereIn(
      'id',
      seats.map((row) => row.product_id),
    )
    .orderBy('id')
    .forKeyShare()
    .select('id');
  const known = new Map(seats.map((row) => [row.product_id, Number(row.seats)]));
  return living.map(({ id }) => ({ productId: id, used: inUse.get(id) ?? 0, seats: known.get(id) ?? 0 }));
}

const upsert = statement<{ product_id: string; hour: string; used: number; seats: number }>((q, p) =>
  q('license_seat_hours')
    .insert(p.row('product_id', 'hour', 'used', 'seats'))
    .onConflict(['product_id', 'hour'])
    .merge({
      used: q.raw('CASE WHEN excluded.used > ?? THEN excluded.used ELSE ?? END', [
        `${TABLE}.used`,
        `${TABLE}.used`,
      ]),
      seats: q.raw('excluded.seats'),
    }),
);

/** Keeps the most seats in use of an hour, and how many there are. */
export async function noteHour(ctx: Ctx, { productId, hour, used, seats }: SeatHour): Promise<void> {
  await upsert.run(ctx.db, { product_id: productId, hour, used, seats });
}
