import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { CUSTOMER_STATUSES, type Customer } from './record.ts';

/** A customer as staff and the receivers of webhooks see it (storefront-api.md 2). */
export const StoreCustomerView = z
  .object({
    id: z.string(),
    email: z.string(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    phone: z.string().nullable(),
    locale: z.string().nullable(),
    has_account: z.boolean().describe('false: a guest, whose row follows from the address of an order'),
    accepts_marketing: z.boolean(),
    status: z.enum(CUSTOMER_STATUSES),
    tax_exempt: z.boolean(),
    order_count: count().describe('Orders that were placed'),
    spent_cents: count().describe('What was paid, less what went back'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'StoreCustomer' });
export type StoreCustomer = z.output<typeof StoreCustomerView>;

export const storeCustomerView = (one: Customer): StoreCustomer => ({
  id: one.id,
  email: one.email,
  first_name: one.firstName,
  last_name: one.lastName,
  phone: one.phone,
  locale: one.locale,
  has_account: !one.isGuest,
  accepts_marketing: one.acceptsMarketing,
  status: one.status,
  tax_exempt: one.taxExempt,
  order_count: one.orderCount,
  spent_cents: one.spentCents,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});
