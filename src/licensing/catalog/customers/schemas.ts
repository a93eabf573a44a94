import { z } from 'zod';
import { email, optional, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { later } from '#kernel/sharing.ts';
import { bounds } from '#licensing/contract/limits.ts';

/** Input that creates a customer. */
export const CustomerCreate = later(() =>
  z.strictObject({
    email: email(bounds.customerEmail),
    name: optional(text({ max: bounds.customerName })),
    metadata: optional(jsonObject(bounds.metadata)),
  }),
);
export type CustomerCreateInput = z.output<typeof CustomerCreate>;

/** Input that changes a customer: absent leaves a field, null clears the name. */
export const CustomerUpdate = later(() =>
  z
    .strictObject({
      email: email(bounds.customerEmail),
      name: text({ max: bounds.customerName }).nullable(),
      metadata: jsonObject(bounds.metadata),
    })
    .partial(),
);
export type CustomerUpdateInput = z.output<typeof CustomerUpdate>;

/** The spelling that customers are matched by within a tenant: trimmed and lower-case (D50). */
export const normalEmail = (address: string): string => address.trim().toLowerCase();
