import { z } from 'zod';

/** What was written to a file. */
const Written = z.strictObject({
  file: z.string(),
  format: z.enum(['native', 'csv', 'jsonl']),
  rows: z.record(z.string(), z.int()),
  keys: z.enum(['included', 'omitted']),
  encrypted: z.boolean(),
});

/** One line of the native format (licensing.md section 6.11): header, row or end. */
const NativeLine = z.looseObject({ kind: z.string(), v: z.literal(1) });

export const ExportOutput = z.union([Written, NativeLine]);
