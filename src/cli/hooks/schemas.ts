import { z } from 'zod';

export const HooksCheckOutput = z.strictObject({
  dir: z.string(),
  files: z.array(z.strictObject({ file: z.string(), subscriptions: z.array(z.string()) })),
});

export const HooksInitOutput = z.strictObject({
  dir: z.string(),
  written: z.array(z.string()),
  kept: z.array(z.string()),
  dryRun: z.literal(true).optional(),
});
