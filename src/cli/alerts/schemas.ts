import { z } from 'zod';

export const AlertsTested = z.strictObject({
  results: z.array(
    z.strictObject({
      way: z.enum(['email', 'webhook', 'ping']),
      to: z.string(),
      /** null when it was sent. */
      error: z.string().nullable(),
    }),
  ),
});
