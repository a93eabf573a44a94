import { z } from 'zod';
import { dryRun, Instant } from '../shapes.ts';

const count = z.int().min(0);

export const RestoreOutput = z.strictObject({
  restored: z.strictObject({ tables: count, rows: count, files: count }),
  /** The moment of the backup; null for a restore that was continued. */
  createdAt: Instant.nullable(),
  /** Where what was there before is kept; null when nothing was. */
  previous: z.string().nullable(),
  /** With --at: files that the restored rows name and that neither this storage nor the stream has. */
  missing: z.array(z.strictObject({ file: z.string(), reason: z.string() })).optional(),
  dryRun,
});
