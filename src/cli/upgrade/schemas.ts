import { z } from 'zod';
import { dryRun } from '../shapes.ts';

const offered = {
  current: z.string(),
  /** Version that may be installed; null when this is the newest. */
  available: z.string().nullable(),
  channel: z.string(),
  isCritical: z.boolean(),
  requiresMigration: z.boolean(),
};

export const UpgradeCheckOutput = z.strictObject({
  ...offered,
  /** Size of the executable; null without one. */
  sizeBytes: z.int().nullable(),
  changelog: z.string(),
});

/** The server that runs the version now; null where none ran. */
const server = z.strictObject({ pid: z.int(), ms: z.int(), unit: z.string().nullable() }).nullable();

export const UpgradeApplyOutput = z.strictObject({
  ...offered,
  /** Name of the backup that was made first; null for none. */
  backup: z.string().nullable(),
  rolledBack: z.boolean(),
  server,
  dryRun,
});

export const UpgradeRollbackOutput = z.strictObject({
  current: z.string(),
  /** Version that is in place now. */
  restored: z.string(),
  database: z.enum(['unchanged', 'converted', 'restored']),
  /** Backup that was made before the database changed; null where it did not. */
  backup: z.string().nullable(),
  server,
  dryRun,
});
