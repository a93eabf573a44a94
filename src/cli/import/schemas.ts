import { z } from 'zod';
import type { ImportReport } from '#licensing/moving/portability/index.ts';
import { dryRun } from '../shapes.ts';

/** Report of licensing.md section 6.11, with the summary of a `Batch`. */
export const ImportOutput = z.strictObject({
  rows: z.int(),
  created: z.int(),
  updated: z.int(),
  skipped: z.int(),
  failed: z.int(),
  warnings: z.array(z.strictObject({ row: z.int(), message: z.string() })),
  errors: z.array(z.strictObject({ row: z.int(), code: z.string(), message: z.string() })),
  summary: z.strictObject({ total: z.int(), succeeded: z.int(), failed: z.int() }),
  dryRun,
}) satisfies z.ZodType<ImportReport>;
