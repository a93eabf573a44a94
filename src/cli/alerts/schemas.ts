import { z } from 'zod';
import { Instant, pageShape } from '../shapes.ts';

export const AlertsOutput = pageShape(
  z.strictObject({
    id: z.string(),
    /** The id of a check, and what it was found in. */
    key: z.string(),
    /** The server that it is about, of several; null for the installation. */
    server: z.string().nullable(),
    title: z.string(),
    message: z.string(),
    /** What cures it. */
    hint: z.string().nullable(),
    begunAt: Instant,
    /** null while it is open. */
    endedAt: Instant.nullable(),
  }),
);

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
