import type { Ctx } from '#kernel/context.ts';
import { type Order, type OrderStatus, orderRecord } from '../orders/index.ts';

/** Which orders of a customer are wanted. */
export interface OrdersAsked {
  readonly page: number;
  readonly perPage: number;
  readonly status?: OrderStatus | undefined;
  /** ISO time, of which orders are among them. */
  readonly from?: string | undefined;
  /** ISO time, of which orders are not. */
  readonly to?: string | undefined;
}

/** Orders that a customer has placed, the newest first, and how many there are. */
export async function listOrders(
  { db }: Ctx,
  customerId: string,
  { page, perPage, status, from, to }: OrdersAsked,
): Promise<{ orders: Order[]; total: number }> {
  const wanted = () => {
    const query = db.knex(orderRecord.table).where({ customer_id: customerId }).whereNotNull('placed_at');
    if (status !== undefined) query.where({ status });
    if (from !== undefined) query.where('placed_at', '>=', from);
    if (to !== undefined) query.where('placed_at', '<', to);
    return query;
  };
  const rows: object[] = await wanted()
    .orderBy([
      { column: 'placed_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(perPage)
    .offset((page - 1) * perPage);
  const [counted]: { n: number | string }[] = await wanted().count({ n: '*' });
  return { orders: rows.map(orderRecord.read), total: Number(counted?.n ?? 0) };
}
