import { z } from 'zod';
import { Instant } from '../shapes.ts';

export const DbCopyOutput = z.strictObject({
  /** Addresses without their passwords. */
  source: z.string(),
  target: z.string(),
  /** The moment of which the copy is; null for a dry run. */
  takenAt: Instant.nullable(),
  tables: z.array(
    z.strictObject({
      name: z.string(),
      rows: z.int().min(0),
      /** Null for a dry run. */
      checksumOk: z.boolean().nullable(),
    }),
  ),
  dryRun: z.literal(true).optional(),
});

export const DbCheckOutput = z.strictObject({
  /** What is wrong, one line each. */
  problems: z.array(z.string()),
  /** Files in the storages that nothing refers to; they are deleted after some days. */
  orphans: z.array(z.string()),
});
