import { z } from 'zod';

/** Output of `setup --json` (cli.md section 6.4). Ids are null in a dry run, for what is still to be made. */
export const SetupOutput = z.strictObject({
  /** The file that was written. */
  configFile: z.string().nullable(),
  dataDir: z.string(),
  database: z.strictObject({
    kind: z.enum(['sqlite', 'postgres']),
    /** Without its password. */
    url: z.string(),
  }),
  tenant: z.string(),
  owner: z.strictObject({ id: z.string().nullable(), email: z.string() }),
  secrets: z.strictObject({ ownerPassword: z.string().optional() }),
  product: z.strictObject({ id: z.string().nullable(), slug: z.string() }).nullable(),
  /** Products of the sample data that were made, where it was asked for. */
  sampleProducts: z.int().optional(),
  /** Base64 of the key that signs the product's releases. */
  publicKey: z.string().nullable(),
  privateKeyFile: z.string().nullable(),
  next: z.array(z.string()),
  dryRun: z.literal(true).optional(),
});
export type SetupAnswer = z.infer<typeof SetupOutput>;
