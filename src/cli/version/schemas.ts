import { z } from 'zod';

export const VersionOutput = z.strictObject({
  version: z.string(),
  commit: z.string().nullable(),
  builtAt: z.string().nullable(),
  node: z.string(),
  platform: z.string(),
  arch: z.string(),
  packaged: z.boolean(),
});
