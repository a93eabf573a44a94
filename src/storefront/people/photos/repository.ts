import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { type CustomerPhoto, customerPhotoRecord } from './record.ts';

const TABLE = customerPhotoRecord.table;

const added = insertInto(customerPhotoRecord);
export const insert = ({ db }: Ctx, one: CustomerPhoto): Promise<number> =>
  added.run(db, customerPhotoRecord.write(one));

export async function find({ db }: Ctx, id: string): Promise<CustomerPhoto | null> {
  const row: object | undefined = await db.knex(TABLE).where({ id }).first();
  return row ? customerPhotoRecord.read(row) : null;
}

/** Gives photos of a customer another time to be kept until. @returns how many there are */
export const keep = (
  ctx: Ctx,
  customerId: string,
  photoIds: readonly string[],
  keptUntil: string,
): Promise<number> =>
  ctx.db
    .knex(TABLE)
    .where({ customer_id: customerId })
    .where('kept_until', '>', ctx.now())
    .whereIn('id', [...photoIds])
    .update({ kept_until: keptUntil, updated_at: ctx.now() });

/** Photos whose time is over, the oldest first. */
export async function listOver(ctx: Ctx, limit: number): Promise<CustomerPhoto[]> {
  const rows: object[] = await ctx.db
    .knex(TABLE)
    .where('kept_until', '<=', ctx.now())
    .orderBy(['kept_until', 'id'])
    .limit(limit);
  return rows.map(customerPhotoRecord.read);
}

/** @returns false for one that is wanted again, or gone */
export const remove = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await ctx.db.knex(TABLE).where({ id }).where('kept_until', '<=', ctx.now()).delete()) === 1;

/** Gives the photos of one customer to another one. */
export async function movePhotos({ db }: Ctx, fromId: string, toId: string): Promise<void> {
  await db.knex(TABLE).where({ customer_id: fromId }).update({ customer_id: toId });
}
