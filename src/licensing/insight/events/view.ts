import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

/** One line of the timeline of everything (licensing 4.3, Event). */
export const EventView = later(() =>
  z
    .object({
      id: z.string(),
      type: z.string(),
      at: instant(),
      actor: z.object({ kind: z.string(), id: z.string().nullable(), label: z.string().nullable() }),
      /** Id of the thing that it happened to. */
      subject: z.string(),
      /** The same when that is a license. */
      licenseId: z.string().nullable(),
      requestId: z.string().nullable(),
      data: z.record(z.string(), z.unknown()),
      /** `{field: [before, after]}`. */
      diff: z.record(z.string(), z.unknown()).nullable(),
    })
    .meta({ id: 'Event' }),
);
export type EventView = z.output<typeof EventView>;
