import { z } from 'zod';
import { dryRun, Instant } from '../shapes.ts';

export const MasterKeyOutput = z.strictObject({
  keyId: z.string(),
  /** Path of its file; null for one that the configuration gives. */
  file: z.string().nullable(),
  /** When somebody said that it is stored in a safe place too. */
  keptAt: Instant.nullable(),
  dryRun,
});
