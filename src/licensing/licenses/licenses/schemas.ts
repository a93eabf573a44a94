import { z } from 'zod';
import { count, email, flag, integer, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { idField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { licenseKeyField, maxVersionField, referenceBody } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { LicenseCreated } from '#licensing/contract/replies.ts';

const idempotencyKey = () => text({ min: 1, max: bounds.idempotencyKey });

const createShape = {
  productId: text({ min: 1, max: bounds.productId }),
  customerEmail: email(bounds.customerEmail),
  customerName: optional(text({ max: bounds.customerName })),
  type: optional(oneOf(LICENSE_TYPES)),
  tier: optional(oneOf(LICENSE_TIERS)),
  maxActivations: optional(integer(bounds.maxActivations.min, bounds.maxActivations.max)),
  /** Absent asks for the default, null for a perpetual license: here the two differ (D47). */
  validUntil: timestamp().nullable().optional(),
  orderId: optional(text({ max: bounds.orderId })),
  metadata: optional(jsonObject(bounds.metadata)),
  policyId: optional(idField()),
  features: optional(jsonObject(bounds.features)),
  maxVersion: optional(maxVersionField()),
  maxUses: optional(integer(0)),
  gracePeriodSeconds: optional(integer(bounds.gracePeriodSeconds.min, bounds.gracePeriodSeconds.max)),
  notes: optional(text({ max: bounds.notes })),
};

/** Body of create: the spec's fields and the additions of D52. `productId` may be a slug (D24). */
export const CreateBody = z.object(createShape).meta({ id: 'CreateBody' });
export type CreateInput = z.output<typeof CreateBody>;

/** One item of create-bulk. It is applied item by item, because its faults are results, not a refusal (D54). */
export const CreateItem = z.object(createShape);

const bulkItem = z.unknown();
// The items are judged one by one later, but the document shows what they are.
bulkItem._zod.toJSONSchema = () => z.toJSONSchema(CreateItem, { target: 'openapi-3.0', io: 'input' });

/** Body of create-bulk. */
export const CreateBulkBody = later(() =>
  z
    .object({
      licenses: z
        .array(bulkItem, {
          error: (issue) => (issue.input === undefined ? 'is required' : 'must be an array'),
        })
        .min(bounds.bulkItems.min, { error: `must have at least ${bounds.bulkItems.min} item` })
        .max(bounds.bulkItems.max, { error: `must have at most ${bounds.bulkItems.max} items` }),
    })
    .meta({ id: 'CreateBulkBody' }),
);

/** Create by an admin or the CLI: strict (D5), with an own key and `force` (D43), and any slug. */
export const AdminCreateBody = later(() =>
  z.strictObject({
    ...createShape,
    productId: text({ min: 1, max: 63 }),
    key: optional(licenseKeyField()),
    force: optional(flag()),
  }),
);
export type AdminCreateInput = z.output<typeof AdminCreateBody>;

/** Body of the admin API's create: a repetition under an idempotency key answers with the license that is there (D53). */
export const StaffCreateBody = later(() =>
  AdminCreateBody.extend({
    /** Id or name, as where a license is changed. */
    policyId: optional(text({ min: 1, max: 100 })),
    idempotencyKey: optional(idempotencyKey()),
    /** Refuses the repetition instead: CONFLICT, with the `licenseId` that is there. */
    mustBeNew: optional(flag()),
    /** A row of a file: its idempotency key is the same wherever the file is read. */
    source: optional(oneOf(['BULK'])),
    /** Whether the answer holds the whole key; it does when left out. */
    withKey: optional(flag()),
  }),
);
export type StaffCreateInput = z.output<typeof StaffCreateBody>;

const MOST_ROWS_ASKED = 500;

/** Body of rows-made. */
export const RowsMadeBody = later(() =>
  z.strictObject({
    idempotencyKeys: z.array(idempotencyKey()).min(1).max(MOST_ROWS_ASKED),
  }),
);

/** Rows of files that have their licenses; the others are left out. */
export const RowsMade = later(() =>
  z
    .object({ made: z.array(z.object({ idempotencyKey: z.string(), id: z.string() })) })
    .meta({ id: 'RowsMade' }),
);

/** Body of revoke. */
export const RevokeBody = referenceBody({ reason: optional(text({ max: bounds.reason })) }).meta({
  id: 'RevokeBody',
});

/** Body of renew; whether the date is in the future is judged with the license (D38). */
export const RenewBody = referenceBody({ validUntil: timestamp() }).meta({ id: 'RenewBody' });

/** Path of by-order/{orderId}. */
export const OrderParams = z.object({ orderId: text({ min: 1, max: bounds.orderId }) });

/** Reply of revoke and renew; the surface adds `success`. */
export const LicenseReply = z.object({ license: LicenseCreated }).meta({ id: 'LicenseChanged' });

/** Reply of create; the surface adds `success`. */
export const CreateReply = later(() =>
  z
    .object({
      license: LicenseCreated,
      idempotent: z.literal(true).optional(),
      /** The body differs from the one that made the license (D53). */
      idempotentMismatch: z.literal(true).optional(),
    })
    .meta({ id: 'LicenseMade' }),
);

/** One result of create-bulk (D54). */
export const BulkResult = z.union([
  z.object({ success: z.literal(true), ...CreateReply.shape }),
  z.object({
    success: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
]);

export const CreateBulkReply = z.object({ results: z.array(BulkResult) }).meta({ id: 'LicensesMade' });

/** Reply of by-order; `total` only when there are more than 100 (D55). */
export const ByOrderReply = later(() =>
  z.object({ licenses: z.array(LicenseCreated), total: count().optional() }).meta({ id: 'LicensesOfOrder' }),
);
