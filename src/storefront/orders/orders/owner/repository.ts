import type { Ctx } from '#kernel/context.ts';
import { orderRecord } from '../record.ts';

const ORDERS = orderRecord.table;

/** Locks the orders of a customer, so that nobody who holds one of them waits for the customer. */
export async function lockOrdersOf({ db }: Ctx, customerId: string): Promise<void> {
  await db.knex(ORDERS).where({ customer_id: customerId }).orderBy('id').forUpdate().select('id');
}

/** @returns how many orders there were */
export const moveOrders = ({ db }: Ctx, fromId: string, toId: string): Promise<number> =>
  db.knex(ORDERS).where({ customer_id: fromId }).update({ customer_id: toId });

/** Gives one order to another customer. */
export const giveTo = ({ db }: Ctx, id: string, customerId: string | null): Promise<number> =>
  db.knex(ORDERS).where({ id }).update({ customer_id: customerId });
