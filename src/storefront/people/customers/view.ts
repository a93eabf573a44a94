import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { Customer } from './record.ts';

/** A customer as it is shown to itself (storefront-api.md 2). */
export const CustomerView = later(() =>
  z
    .object({
      id: z.string(),
      email: z.string(),
      first_name: z.string().nullable(),
      last_name: z.string().nullable(),
      phone: z.string().nullable(),
      email_verified: z.boolean(),
      accepts_marketing: z.boolean(),
      two_factor_enabled: z.boolean(),
      created_at: instant(),
    })
    .meta({ id: 'ShopCustomer' }),
);
export type CustomerShown = z.output<typeof CustomerView>;

/** What is shown of a customer. */
export type Showable = Pick<
  Customer,
  'id' | 'email' | 'firstName' | 'lastName' | 'phone' | 'emailVerifiedAt' | 'acceptsMarketing' | 'createdAt'
>;

/** @param twoFactorEnabled whether a code is asked for at each sign-in */
export const customerView = (one: Showable, twoFactorEnabled: boolean): CustomerShown => ({
  id: one.id,
  email: one.email,
  first_name: one.firstName,
  last_name: one.lastName,
  phone: one.phone,
  email_verified: one.emailVerifiedAt !== null,
  accepts_marketing: one.acceptsMarketing,
  two_factor_enabled: twoFactorEnabled,
  created_at: one.createdAt,
});
