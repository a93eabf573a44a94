import { z } from 'zod';
import { Instant } from '../shapes.ts';

const Pending = z.strictObject({ name: z.string(), reversible: z.boolean() });
const dryRun = z.literal(true).optional();

export const MigrateStatusOutput = z.strictObject({
  applied: z.array(
    z.strictObject({
      name: z.string(),
      at: Instant,
      ms: z.int(),
      checksum: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
  pending: z.array(Pending),
  /** Applied by a newer program. */
  unknown: z.array(z.string()),
  /** Id of the installation of which this database is a copy that is not complete. */
  unfinishedCopyOf: z.string().nullable(),
});

export const MigrateUpOutput = z.strictObject({
  applied: z.array(z.string()),
  /** Where the backup is that was made first. */
  backup: z.string().optional(),
  dryRun,
});

export const MigrateDownOutput = z.strictObject({ reverted: z.array(z.string()), dryRun });

export const MigrateVerifyOutput = z.strictObject({
  drift: z.array(
    z.strictObject({
      /** `checksum`: an applied migration is another one here. `missing` and `unexpected`: parts of the schema. */
      kind: z.enum(['checksum', 'missing', 'unexpected']),
      /** Name of the migration, or one line of the schema. */
      line: z.string(),
    }),
  ),
});
