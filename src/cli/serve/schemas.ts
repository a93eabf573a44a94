import { z } from 'zod';

const Listening = z.strictObject({
  event: z.literal('listening'),
  url: z.string(),
  urls: z.array(z.string()),
  baseUrl: z.string(),
  pid: z.int(),
  /** Where a browser makes the owner; null once there is one. */
  setupUrl: z.string().nullable(),
});

const LogRecord = z.looseObject({ level: z.string(), time: z.iso.datetime({ precision: 3 }) });

/** One line of `serve --json`. */
export const ServeOutput = z.union([Listening, LogRecord]);
