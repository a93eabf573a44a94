import { z } from 'zod';

/** A line of the log as the server wrote it; other fields depend on what it is about. */
export const LogRecord = z.looseObject({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
  /** Null for a line that is no record: of log.format pretty, or of systemd. */
  time: z.string().nullable(),
  msg: z.string(),
});
