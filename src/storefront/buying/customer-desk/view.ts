import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { ListedSession } from '#platform/sessions/index.ts';
import { deviceWords } from '#storefront/people/accounts/index.ts';
import { CONSENT_SOURCES, type Consent } from '#storefront/people/consents/index.ts';
import {
  type Customer,
  type CustomerNote,
  type StoreCustomer,
  StoreCustomerView,
  storeCustomerViews,
} from '#storefront/people/customers/index.ts';
import { statsOf } from './queries.ts';

const Stats = later(() =>
  z
    .object({
      order_count: count().describe('Placed orders, without canceled ones'),
      open_orders: count().describe('Of these, not completed'),
      total_cents: count().describe('Of these orders'),
      average_cents: count(),
      currency: z.string().nullable().describe('null before the first order'),
      first_order_at: instant().nullable(),
      last_order_at: instant().nullable(),
    })
    .meta({ id: 'StoreCustomerStats' }),
);

/** One customer alone: with figures of the orders. */
export const StoreCustomerDetailsView = later(() =>
  z.object({ ...StoreCustomerView.shape, stats: Stats }).meta({ id: 'StoreCustomerDetails' }),
);
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
export const CustomerNoteView = later(() =>
  z
    .object({
      id: z.string(),
      customer_id: z.string(),
      body: z.string(),
      actor: z.string().describe('Name of the author'),
      created_at: instant(),
    })
    .meta({ id: 'CustomerNote' }),
);

export const noteView = (note: CustomerNote): z.output<typeof CustomerNoteView> => ({
  id: note.id,
  customer_id: note.customerId,
  body: note.body,
  actor: note.actor,
  created_at: note.createdAt,
});

/** A browser in which a customer is signed in. */
export const StoreCustomerSessionView = later(() =>
  z
    .object({
      id: z.string(),
      customer_id: z.string(),
      device: z.string().describe('Browser and system; empty where they are not known'),
      ip: z.string().nullable(),
      created_at: instant(),
      last_seen_at: instant(),
    })
    .meta({ id: 'StoreCustomerSession' }),
);

export const sessionView = (one: ListedSession): z.output<typeof StoreCustomerSessionView> => ({
  id: one.id,
  customer_id: one.customerId ?? '',
  device: deviceWords(one.userAgent),
  ip: one.ip,
  created_at: one.createdAt,
  last_seen_at: one.lastSeenAt,
});

/** The proof of what a customer agreed to, or withdrew. */
export const CustomerConsentView = later(() =>
  z
    .object({
      id: z.string(),
      customer_id: z.string(),
      granted: z.boolean().describe('false: withdrawn'),
      source: z.enum(CONSENT_SOURCES),
      text: z.string().nullable().describe('The text shown with the choice'),
      locale: z.string().nullable(),
      ip: z.string().nullable(),
      user_agent: z.string().nullable(),
      actor_type: z.enum(['customer', 'staff', 'system']),
      actor: z.string().nullable().describe('Name of the staff member'),
      created_at: instant(),
    })
    .meta({ id: 'CustomerConsent' }),
);

export const consentView = (one: Consent): z.output<typeof CustomerConsentView> => ({
  id: one.id,
  customer_id: one.customerId ?? '',
  granted: one.granted,
  source: one.source,
  text: one.text,
  locale: one.locale,
  ip: one.ip,
  user_agent: one.userAgent,
  actor_type: one.actorType,
  actor: one.actor,
  created_at: one.createdAt,
});

export { columnOf } from './columns.ts';
