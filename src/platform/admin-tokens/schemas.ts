import { z } from 'zod';
import { flag, optional, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

const MOST_PRODUCTS = 1000;

/** Input that makes a token (licensing 4.1): of one tenant, or of the whole installation. */
export const AdminTokenCreate = later(() =>
  z.strictObject({
    name: text({ min: 1, max: 100 }),
    role: text({ min: 1, max: 63 }),
    isInstanceWide: optional(flag()),
    /** Ids; it sees and changes nothing of others. */
    productIds: optional(
      z
        .array(text({ min: 1, max: 30 }))
        .min(1)
        .max(MOST_PRODUCTS)
        .nullable(),
    ),
    expiresAt: optional(timestamp().nullable()),
  }),
);

export const AdminTokenRevokeBody = z
  .strictObject({ reason: optional(text({ max: 500 })) })
  .meta({ id: 'AdminTokenRevokeBody' });
