import { z } from 'zod';
import { AdminLicenseView, TimelineEventView } from '#licensing/licenses/licenses/view.ts';
import { AdminActivationView } from '#licensing/licenses/machines/view.ts';
import { UsageView } from '#licensing/licenses/usage/view.ts';
import { TraceEntryView, ValidationView } from '#licensing/licenses/validation/view.ts';
import { batchShape, dryRun, Instant, pageShape } from '../shapes.ts';

/** `License` with what --usage and --events add. */
export const LicenseShowOutput = AdminLicenseView.extend({
  key: z.string().optional(),
  activations: z.array(AdminActivationView).optional(),
  usage: UsageView.optional(),
  events: z.array(TimelineEventView).optional(),
});

export const LicensePage = pageShape(AdminLicenseView);
export const LicenseOrBatch = z.union([AdminLicenseView.extend({ dryRun }), batchShape(AdminLicenseView)]);

/** `before` is the end that the license had. */
const Renewed = AdminLicenseView.extend({ before: z.strictObject({ validUntil: Instant.nullable() }) });
export const LicenseRenewOutput = z.union([Renewed.extend({ dryRun }), batchShape(Renewed)]);

const Minted = AdminLicenseView.extend({
  key: z.string().optional(),
  idempotent: z.literal(true).optional(),
});
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

export const ActivationPage = pageShape(AdminActivationView);
export const ActivationBatch = batchShape(AdminActivationView);

/** One license of the stream, or what was written to a file. */
export const LicenseExportOutput = z.union([
  AdminLicenseView.extend({ key: z.string().optional() }),
  z.strictObject({ file: z.string(), format: z.enum(['csv', 'jsonl', 'json']), licenses: z.int() }),
]);

/** What the changed fields were; empty when nothing changed. */
const before = z.partialRecord(
  z.enum([
    'type',
    'tier',
    'maxActivations',
    'validUntil',
    'features',
    'maxVersion',
    'maxUses',
    'policyId',
    'gracePeriodSeconds',
    'orderId',
    'metadata',
    'notes',
  ]),
  z.json(),
);

export const LicenseUpdateOutput = AdminLicenseView.extend({ before, dryRun });

/** The body of the public endpoint (specification, POST /api/v1/license/validate) with a masked key, and the trace. */
export const LicenseValidateOutput = ValidationView.omit({ requestId: true, nonce: true }).extend({
  success: z.literal(true),
  explain: z.array(TraceEntryView),
});
