import { z } from 'zod';
import type { UsageRecordView, UsageView } from '#licensing/licenses/usage/index.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

/** Usage of cli.md section 3.5. */
export const UsageShape = z.strictObject({
  current: z.int(),
  max: z.int().nullable(),
  remaining: z.int().nullable(),
  percentUsed: z.number().nullable(),
  byFeature: z.record(z.string(), z.int()),
}) satisfies z.ZodType<UsageView>;

export const UsageChangeOutput = UsageShape.extend({ dryRun });

/** A counted call. */
export const UsagePage = pageShape(
  z.strictObject({
    id: z.string(),
    at: Instant,
    feature: z.string(),
    quantity: z.int(),
    counterAfter: z.int(),
    epoch: z.int(),
    metadata: z.record(z.string(), z.json()).nullable(),
  }) satisfies z.ZodType<UsageRecordView>,
);
