import { z } from 'zod';
import { dryRun, Instant } from '../shapes.ts';

const count = z.int().min(0);
const dialect = z.enum(['sqlite', 'postgres']);

const ManifestShape = z.strictObject({
  version: z.string(),
  schemaVersion: z.string(),
  database: dialect,
  tables: z.record(z.string(), count),
  /** How many members the archive has. */
  files: count,
  masterKeyId: z.string().nullable(),
  installation: z.string().nullable(),
  createdAt: Instant,
  excluded: z.array(z.string()),
});

export const BackupCreateOutput = z.strictObject({
  /** Path, or name in the bucket. */
  file: z.string(),
  sizeBytes: count,
  sha256: z.string(),
  encrypted: z.boolean(),
  manifest: ManifestShape,
  ms: count,
});

export const BackupListOutput = z.strictObject({
  items: z.array(
    z.strictObject({
      file: z.string(),
      createdAt: Instant,
      sizeBytes: count,
      version: z.string().nullable(),
      label: z.string().nullable(),
      verified: z.boolean(),
      encrypted: z.boolean(),
    }),
  ),
  pagination: z.strictObject({ page: count, limit: count, total: count, totalPages: count }),
});

export const BackupVerifyOutput = z.strictObject({
  ok: z.boolean(),
  problems: z.array(z.string()),
  manifest: ManifestShape.nullable(),
});

export const BackupPruneOutput = z.strictObject({
  removed: z.array(z.string()),
  kept: count,
  /** Files of the stream that no backup and no moment can need any more. */
  streamFiles: count,
  dryRun,
});

export const BackupKeygenOutput = z.strictObject({ publicKey: z.string(), file: z.string() });
