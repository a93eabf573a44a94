import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { knownOf } from './queries.ts';
import { CUSTOMER_STATUSES, type Customer } from './record.ts';

const maybe = () => z.string().nullable();

/** A customer as staff and the receivers of webhooks see it (storefront-api.md 2). */
export const StoreCustomerView = later(() =>
  z
    .object({
      id: z.string(),
      email: z.string(),
      first_name: maybe(),
      last_name: maybe(),
      phone: maybe(),
      locale: maybe(),
      has_account: z.boolean().describe('false: a guest, known by the email address of an order'),
      email_verified: z.boolean(),
      accepts_marketing: z.boolean(),
      two_factor_enabled: z.boolean(),
      status: z.enum(CUSTOMER_STATUSES),
      tags: z.array(z.string()),
      groups: z.array(z.object({ id: z.string(), name: z.string() })),
      tax_exempt: z.boolean(),
      tax_id: maybe(),
      order_count: count().describe('Orders that were placed'),
      spent_cents: z.int().describe('Payments, less refunds'),
      currency: z.string(),
      notes_count: count().describe('Staff notes'),
      merged_into_id: maybe().describe('The customer it was merged into; null unless merged'),
      last_login_at: instant().nullable(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'StoreCustomer' }),
);
export type StoreCustomer = z.output<typeof StoreCustomerView>;

/** Customers as staff see them: three questions for all of them. */
export async function storeCustomerViews(customers: readonly Customer[], ctx: Ctx): Promise<StoreCustomer[]> {
  const known = await knownOf(
    ctx,
    customers.map(({ id }) => id),
  );
  return customers.map((one) => ({
    id: one.id,
    email: one.email,
    first_name: one.firstName,
    last_name: one.lastName,
    phone: one.phone,
    locale: one.locale,
    has_account: !one.isGuest,
    email_verified: one.emailVerifiedAt !== null,
    accepts_marketing: one.acceptsMarketing,
    two_factor_enabled: known.secondFactors.has(one.id),
    status: one.status,
    tags: [...one.tags],
    groups: known.groups.get(one.id) ?? [],
    tax_exempt: one.taxExempt,
    tax_id: one.taxId,
    order_count: one.orderCount,
    spent_cents: one.spentCents,
    currency: ctx.settings.get(currencyCode),
    notes_count: known.notes.get(one.id) ?? 0,
    merged_into_id: one.mergedIntoId,
    last_login_at: one.lastLoginAt,
    created_at: one.createdAt,
    updated_at: one.updatedAt,
  }));
}
