import { z } from 'zod';
import { configTable } from '#kernel/config/table.ts';

const Entry = z.strictObject({
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  source: z.enum(['flag', 'env', 'env_file', 'file', 'default']),
  name: z.string(),
});

export const ConfigShowOutput = z.partialRecord(z.enum(configTable.map((row) => row.key)), Entry);

const Problem = z.strictObject({ key: z.string(), message: z.string(), hint: z.string() });

export const ConfigCheckOutput = z.strictObject({
  valid: z.boolean(),
  problems: z.array(Problem),
  warnings: z.array(Problem),
});

export const ConfigInitOutput = z.strictObject({ file: z.string(), dryRun: z.literal(true).optional() });

export const ConfigPathOutput = z.strictObject({
  config: z.string().nullable(),
  dataDir: z.string(),
  envFile: z.string().nullable(),
});
