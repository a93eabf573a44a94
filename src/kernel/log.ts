import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino';

export type Log = Logger;

/** Names under which a secret may come near a log line; their values are replaced (reliability R20). */
const REDACTED = [
  'licenseKey',
  'key',
  'rawKey',
  'newKey',
  'password',
  'passphrase',
  'secret',
  'signingSecret',
  'token',
  'masterKey',
  'authorization',
  'cookie',
  '["x-api-key"]',
  '["x-license-key"]',
  '["set-cookie"]',
];
const PATHS = REDACTED.flatMap((name) =>
  name.startsWith('[') ? [name, `*${name}`, `*.*${name}`] : [name, `*.${name}`, `*.*.${name}`],
);

export interface LogOptions {
  level: LevelWithSilent;
  /** A file descriptor or a path. */
  destination: number | string;
}

/**
 * The program's log: one JSON object per line, times in ISO 8601, secrets replaced by `***`.
 * pino runs without worker transports: they crash inside the executable (packaging.md section 2).
 */
export function createLog({ level, destination }: LogOptions): Log {
  const stream = pino.destination({ dest: destination, sync: true });
  // A full log disk or a closed pipe must never end the server (M21).
  stream.on('error', () => undefined);
  return logTo(stream, level);
}

/**
 * The same log without redaction, for the request lines alone: their fields are fixed and hold no secret, and
 * looking for one in every line costs more than the query of a validate.
 */
export const requestLogOf = (log: Log): Log => log.child({}, { redact: [] });

/** A log that writes to any stream: tests read what was written. */
export function logTo(stream: DestinationStream, level: LevelWithSilent): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: PATHS, censor: '***' },
    },
    stream,
  );
}
