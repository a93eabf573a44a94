import { z } from 'zod';

export const SupportArchiveOutput = z.strictObject({
  file: z.string(),
  sizeBytes: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  contents: z.array(
    z.strictObject({
      name: z.string(),
      what: z.string(),
      sizeBytes: z.int(),
      /** Why it holds nothing; null where it does. */
      missing: z.string().nullable(),
    }),
  ),
});
