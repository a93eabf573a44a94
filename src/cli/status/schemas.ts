import { z } from 'zod';
import { Instant } from '../shapes.ts';

const count = z.int().min(0);

/** `status` of cli.md section 3.1. */
export const StatusOutput = z.strictObject({
  version: z.string(),
  running: z.boolean(),
  pid: z.int().nullable(),
  uptimeSec: z.int().nullable(),
  url: z.string().nullable(),
  db: z.strictObject({ kind: z.enum(['sqlite', 'postgres']), version: z.string(), sizeBytes: count }),
  migrations: z.strictObject({ applied: count, pending: count }),
  queue: z.strictObject({ webhooks: count, emails: count, inboundSpool: count, dead: count }),
  lastBackupAt: Instant.nullable(),
  counts: z.strictObject({ licenses: count, products: count, customers: count, activations: count }),
  warnings: z.array(z.string()),
});
export type Status = z.infer<typeof StatusOutput>;
