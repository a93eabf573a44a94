import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import {
  type Customer,
  type CustomerNote,
  type StoreCustomer,
  StoreCustomerView,
  storeCustomerViews,
} from '#storefront/people/customers/index.ts';
import { statsOf } from './queries.ts';

const Stats = z
  .object({
    order_count: count().describe('Placed orders that were not cancelled'),
    open_orders: count().describe('Of these, those that are not completed'),
    total_cents: count().describe('Of these orders'),
    average_cents: count(),
    currency: z.string().nullable().describe('null before the first order'),
    first_order_at: instant().nullable(),
    last_order_at: instant().nullable(),
  })
  .meta({ id: 'StoreCustomerStats' });

/** One customer alone: with figures of the orders. */
export const StoreCustomerDetailsView = z
  .object({ ...StoreCustomerView.shape, stats: Stats })
  .meta({ id: 'StoreCustomerDetails' });
export type StoreCustomerDetails = z.output<typeof StoreCustomerDetailsView>;

export async function customerDetails(customer: Customer, ctx: Ctx): Promise<StoreCustomerDetails> {
  const [shown] = await storeCustomerViews([customer], ctx);
  const stats = await statsOf(ctx, customer.id);
  return {
    ...(shown as StoreCustomer),
    stats: {
      order_count: stats.orderCount,
      open_orders: stats.openOrders,
      total_cents: stats.totalCents,
      average_cents: stats.averageCents,
      currency: stats.currency,
      first_order_at: stats.firstOrderAt,
      last_order_at: stats.lastOrderAt,
    },
  };
}

/** What staff noted of a customer. */
export const CustomerNoteView = z
  .object({
    id: z.string(),
    customer_id: z.string(),
    body: z.string(),
    actor: z.string().describe('Who wrote it, by name'),
    created_at: instant(),
  })
  .meta({ id: 'CustomerNote' });

export const noteView = (note: CustomerNote): z.output<typeof CustomerNoteView> => ({
  id: note.id,
  customer_id: note.customerId,
  body: note.body,
  actor: note.actor,
  created_at: note.createdAt,
});

export { columnOf } from './columns.ts';
