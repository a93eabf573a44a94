import type { Ctx } from '#kernel/context.ts';
import { type Erasure, erasureRecord } from './record.ts';

const TABLE = erasureRecord.table;

export async function insertNew({ db }: Ctx, one: Erasure): Promise<void> {
  await db.knex(TABLE).insert(erasureRecord.write(one)).onConflict('customer_id').ignore();
}

/** Erasures that are not finished, the oldest first. @param before ISO time of the erasure */
export async function unfinished(
  { db }: Ctx,
  before: string,
  after: string,
  limit: number,
): Promise<Erasure[]> {
  const rows: object[] = await db
    .knex(TABLE)
    .whereNull('finished_at')
    .where('created_at', '<=', before)
    .where('customer_id', '>', after)
    .orderBy('customer_id')
    .limit(limit);
  return rows.map(erasureRecord.read);
}

export async function finish(ctx: Ctx, customerId: string): Promise<void> {
  const now = ctx.now();
  await ctx.db.knex(TABLE).where({ customer_id: customerId }).update({ finished_at: now, updated_at: now });
}
