import { z } from 'zod';
import { Instant } from '../shapes.ts';

/** One line of `events tail` (licensing 4.3, Event). */
export const EventShape = z.strictObject({
  id: z.string(),
  type: z.string(),
  at: Instant,
  actor: z.strictObject({ kind: z.string(), id: z.string().nullable(), label: z.string().nullable() }),
  subject: z.string(),
  licenseId: z.string().nullable(),
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.json()),
  diff: z.record(z.string(), z.json()).nullable(),
});
