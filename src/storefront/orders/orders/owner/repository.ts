import type { Ctx } from '#kernel/context.ts';
import { orderRecord } from '../record.ts';

const ORDERS = orderRecord.table;

/** Locks the orders of a customer, so that nobody who holds one of them waits for the customer. */
export async function lockOrdersOf({ db }: Ctx, customerId: string): Promise<void> {
  await db.knex(ORDERS).where({ customer_id: customerId }).orderBy('id').forUpdate().select('id');
}

/** @returns ids of the orders that were changed */
async function changed({ db }: Ctx, which: object, values: object): Promise<string[]> {
  const rows: { id: string }[] = await db.knex(ORDERS).where(which).update(values).returning('id');
  return rows.map(({ id }) => id);
}

/** Makes all orders of a customer another one's. @returns their ids */
export const moveOrders = (ctx: Ctx, fromId: string, toId: string): Promise<string[]> =>
  changed(ctx, { customer_id: fromId }, { customer_id: toId });

/** Gives the orders of a guest to the customer who has the same address. @returns their ids */
export const giveOrders = (
  ctx: Ctx,
  guestId: string,
  { id, emailNorm }: { readonly id: string; readonly emailNorm: string },
): Promise<string[]> =>
  changed(
    ctx,
    { customer_id: guestId, email_norm: emailNorm },
    { customer_id: id, updated_at: ctx.now(), version: ctx.db.knex.raw('version + 1') },
  );

/** Gives one order to another customer. */
export const giveTo = ({ db }: Ctx, id: string, customerId: string | null): Promise<number> =>
  db.knex(ORDERS).where({ id }).update({ customer_id: customerId });
