import { z } from 'zod';
import type { ActivationView, TimelineEvent } from '#licensing/licenses/licenses/index.ts';
import { UsageView } from '#licensing/licenses/usage/view.ts';
import { licenseStatuses, licenseTiers, licenseTypes } from '../choices.ts';
import { batchShape, dryRun, Instant, pageShape } from '../shapes.ts';

/** `Activation` of cli.md section 2. */
const Activation = z.strictObject({
  id: z.string(),
  licenseId: z.string(),
  kind: z.enum(['NODE', 'LEASE']),
  machineId: z.string(),
  machineName: z.string().nullable(),
  osName: z.string().nullable(),
  osVersion: z.string().nullable(),
  appVersion: z.string().nullable(),
  activatedAt: Instant,
  lastSeenAt: Instant,
  leaseExpiresAt: Instant.nullable(),
  metadata: z.record(z.string(), z.json()).nullable(),
}) satisfies z.ZodType<ActivationView>;

/** `Event` of licensing.md section 4.3. */
const TimelineEntry = z.strictObject({
  id: z.string(),
  type: z.string(),
  at: Instant,
  actor: z.strictObject({ kind: z.string(), id: z.string().nullable(), label: z.string().nullable() }),
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  diff: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])).nullable(),
}) satisfies z.ZodType<TimelineEvent>;

const features = z.record(z.string(), z.json()).nullable();

/** `License` of cli.md section 2; `key` only with --reveal. */
export const LicenseShape = z.strictObject({
  id: z.string(),
  key: z.string().optional(),
  keyPrefix: z.string(),
  keyMasked: z.string(),
  productId: z.string(),
  product: z.string(),
  productSlug: z.string(),
  productName: z.string(),
  type: z.enum(licenseTypes),
  tier: z.enum(licenseTiers),
  status: z.enum(licenseStatuses),
  maxActivations: z.int(),
  activationsUsed: z.int(),
  validUntil: Instant.nullable(),
  graceExpiresAt: Instant.optional(),
  maxVersion: z.string().nullable(),
  maxUses: z.int().nullable(),
  currentUses: z.int(),
  features,
  policyId: z.string().nullable(),
  customer: z.strictObject({ id: z.string(), email: z.string(), name: z.string().nullable() }),
  orderId: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  notes: z.string().optional(),
  createdAt: Instant,
  updatedAt: Instant,
  /** When it was put into the trash. */
  deletedAt: Instant.optional(),
  activations: z.array(Activation).optional(),
});

/** `License` with what --usage and --events add. */
export const LicenseShowOutput = LicenseShape.extend({
  usage: UsageView.optional(),
  events: z.array(TimelineEntry).optional(),
});

export const LicensePage = pageShape(LicenseShape);
export const LicenseOrBatch = z.union([LicenseShape.extend({ dryRun }), batchShape(LicenseShape)]);

/** `before` is the end that the license had. */
const Renewed = LicenseShape.extend({ before: z.strictObject({ validUntil: Instant.nullable() }) });
export const LicenseRenewOutput = z.union([Renewed.extend({ dryRun }), batchShape(Renewed)]);

const Minted = LicenseShape.extend({ idempotent: z.literal(true).optional() });
export const LicenseMintOutput = z.union([Minted.extend({ dryRun }), batchShape(Minted)]);

/** `Batch` whose rows also say where they begin in the file and which address they name. */
const bulkRow = { index: z.int(), line: z.int(), email: z.string().nullable() };
const bulkError = z.strictObject({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
});
export const LicenseMintBulkOutput = z.strictObject({
  results: z.array(
    z.union([
      Minted.extend({
        ...bulkRow,
        success: z.literal(true),
        idempotentMismatch: z.literal(true).optional(),
      }),
      z.strictObject({ ...bulkRow, success: z.literal(false), error: bulkError }),
    ]),
  ),
  summary: z.strictObject({ total: z.int(), succeeded: z.int(), failed: z.int() }),
  next: z.array(z.string()),
  dryRun,
});

export const LicenseKeyOutput = z.strictObject({ id: z.string(), key: z.string() });

export const ActivationPage = pageShape(Activation);
export const ActivationBatch = batchShape(Activation);

/** One license of the stream, or what was written to a file. */
export const LicenseExportOutput = z.union([
  LicenseShape,
  z.strictObject({ file: z.string(), format: z.enum(['csv', 'jsonl', 'json']), licenses: z.int() }),
]);

/** The body of the public endpoint (specification, POST /api/v1/license/validate) with a masked key, and the trace. */
export const LicenseValidateOutput = z.strictObject({
  success: z.literal(true),
  valid: z.boolean(),
  status: z.enum(licenseStatuses).nullable(),
  code: z.string(),
  message: z.string(),
  license: z
    .strictObject({
      key: z.string(),
      product: z.string(),
      tier: z.enum(licenseTiers),
      type: z.enum(licenseTypes),
      validUntil: Instant.nullable(),
      activationsUsed: z.int(),
      maxActivations: z.int(),
      features,
    })
    .nullable(),
  activation: z
    .strictObject({
      machineId: z.string(),
      machineName: z.string().nullable(),
      activatedAt: Instant,
      id: z.string().optional(),
      leaseExpiresAt: Instant.optional(),
    })
    .nullable(),
  grace: z.boolean().optional(),
  graceExpiresAt: Instant.optional(),
  versionAllowed: z.boolean().optional(),
  floating: z
    .strictObject({
      seatsUsed: z.int(),
      seatsTotal: z.int(),
      seatsAvailable: z.int(),
      leaseExpiresAt: Instant.nullable(),
    })
    .optional(),
  usage: z
    .strictObject({
      current: z.int(),
      max: z.int().nullable(),
      remaining: z.int().optional(),
      percentUsed: z.number().optional(),
    })
    .optional(),
  licensingMode: z.enum(['STANDARD', 'HONOR_SYSTEM']).optional(),
  serverTime: Instant,
  explain: z.array(
    z.strictObject({ rule: z.string(), result: z.enum(['pass', 'fail', 'skip']), text: z.string() }),
  ),
});
