import { z } from 'zod';

const Listening = z.strictObject({
  event: z.literal('listening'),
  url: z.string(),
  urls: z.array(z.string()),
  baseUrl: z.string(),
  pid: z.int(),
});

const LogRecord = z.looseObject({ level: z.string(), time: z.iso.datetime({ precision: 3 }) });

/** One line of `serve --json`. */
export const ServeOutput = z.union([Listening, LogRecord]);
