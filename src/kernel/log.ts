import { openSync } from 'node:fs';
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
  /** Written in blocks of this many bytes; 0 writes every line at once. */
  bufferBytes?: number;
  /** A file descriptor or a path. */
  destination: number | string;
}

/**
 * The program's log: one JSON object per line, times in ISO 8601, secrets replaced by `***`.
 * pino runs without worker transports: they crash inside the executable (packaging.md section 2).
 */
export function createLog({ level, bufferBytes = 0, destination }: LogOptions): Log {
  const stream = pino.destination({
    dest: destination,
    sync: bufferBytes === 0,
    minLength: bufferBytes,
    mkdir: false,
  });
  // A full log disk or a closed pipe must never end the server (M21).
  stream.on('error', () => undefined);
  return logTo(stream, level);
}

/**
 * The same log without redaction, for the request lines alone: their fields are fixed and hold no secret, and
 * looking for one in every line costs more than the query of a validate.
 */
export const requestLogOf = (log: Log): Log => log.child({}, { redact: [] });

/** Where lines of a log go; what cannot be written is dropped, and nothing is thrown (M21). */
export interface Sink {
  write(line: string): void;
  /** Begins to write what is buffered. */
  flush(): void;
  /** Writes what is buffered before it returns. */
  flushSync(): void;
  /** Opens a file anew; nothing to do for a descriptor. */
  reopen(): void;
}

/** Lines that wait for a slow reader or a full disk take no more memory than this. */
const MAX_WAITING_BYTES = 4_194_304;

/**
 * Opens a file (mode 0600, appended to) or takes a file descriptor.
 *
 * @param blockBytes lines are written in blocks of this size, 0: each at once
 * @throws Error with code ENOENT, EACCES … when the file cannot be opened
 */
export function openSink(destination: number | string, blockBytes: number): Sink {
  // The descriptor is there at once: a process that ends early has somewhere to flush to.
  const open = () => {
    const dest = typeof destination === 'number' ? destination : openSync(destination, 'a', 0o600);
    const stream = pino.destination({
      dest,
      sync: false,
      minLength: blockBytes,
      maxLength: MAX_WAITING_BYTES,
    });
    stream.on('error', () => undefined);
    return stream;
  };
  let stream = open();
  const quietly = (work: () => void) => () => {
    try {
      work();
    } catch {
      // The descriptor was closed, or the file is out of reach: there is nobody to tell.
    }
  };
  return {
    write: (line) => void stream.write(line),
    flush: quietly(() => stream.flush()),
    flushSync: quietly(() => stream.flushSync()),
    reopen: quietly(() => {
      if (typeof destination === 'number') return;
      const old = stream;
      stream = open();
      old.end();
    }),
  };
}

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

/** Writes what is buffered, best effort: before the process ends. */
export function flushLog(log: Log): void {
  log.flush();
}
