import { z } from 'zod';

/** With --out. */
export const DocsOutput = z.strictObject({
  files: z.array(z.string()),
  dryRun: z.boolean().optional(),
});
