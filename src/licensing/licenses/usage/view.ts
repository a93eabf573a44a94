import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';

/** What a license has used. */
export const UsageView = z
  .object({
    current: z.int(),
    /** The effective limit (D80); null = unlimited, and then the next two are null too. */
    max: z.int().nullable(),
    remaining: z.int().nullable(),
    percentUsed: z.number().nullable(),
    /** Quantities by feature since the last reset or set; what a set brought belongs to none. */
    byFeature: z.record(z.string(), z.int()),
  })
  .meta({ id: 'LicenseUsage' });
export type UsageView = z.output<typeof UsageView>;

/** A counted call as staff see it. */
export const UsageRecordView = z
  .object({
    id: z.string(),
    at: instant(),
    feature: z.string(),
    quantity: z.int(),
    counterAfter: z.int(),
    /** Grows with every reset and set. */
    epoch: z.int(),
    metadata: z.record(z.string(), z.json()).nullable(),
  })
  .meta({ id: 'UsageRecord' });
export type UsageRecordView = z.output<typeof UsageRecordView>;
