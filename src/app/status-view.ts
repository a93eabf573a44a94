import { z } from 'zod';

const count = z.int().min(0);

/** How an installation is: what `appctl status` and the panel's first page show. */
export const StatusView = z.strictObject({
  version: z.string(),
  running: z.boolean(),
  pid: z.int().nullable(),
  uptimeSec: z.int().nullable(),
  url: z.string().nullable(),
  /** Processes of the server that serve, and how many it is to have; null when none runs. */
  workers: z.strictObject({ serving: count, wanted: count }).nullable(),
  db: z.strictObject({ kind: z.enum(['sqlite', 'postgres']), version: z.string(), sizeBytes: count }),
  migrations: z.strictObject({ applied: count, pending: count }),
  queue: z.strictObject({ webhooks: count, emails: count, inboundSpool: count, dead: count }),
  /** Of TLS; null without, and where its file cannot be read. */
  certificate: z
    .strictObject({
      name: z.string(),
      beginsAt: z.iso.datetime({ precision: 3 }),
      endsAt: z.iso.datetime({ precision: 3 }),
      /** It signs itself, until the certificate authority has issued one. */
      isPlaceholder: z.boolean(),
      /** Why changed files are not used; null when they are. */
      problem: z.string().nullable(),
    })
    .nullable(),
  lastBackupAt: z.iso.datetime({ precision: 3 }).nullable(),
  counts: z.strictObject({ licenses: count, products: count, customers: count, activations: count }),
  warnings: z.array(z.string()),
});
export type Status = z.infer<typeof StatusView>;
