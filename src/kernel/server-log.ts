import type { Config } from './config/config.ts';
import { ConfigError } from './config/errors.ts';
import { LineBlocks } from './line-blocks.ts';
import { type Log, type LogOptions, logTo } from './log.ts';
import { prettyLine } from './log-pretty.ts';
import { LogRing } from './log-ring.ts';
import { type LogSink, openLogSink } from './log-sink.ts';

/** The log of a server. Its lines can be led elsewhere while it runs. */
export interface ServerLog {
  readonly log: Log;
  /** Its newest lines. */
  readonly ring: LogRing;
  /** Writes lines of another process of this server. */
  take(lines: readonly string[]): void;
  /** Has lines of this process told in blocks, for the other processes of this server. */
  onLines(tell: (lines: readonly string[]) => void): void;
  /** Leads further lines to another file descriptor or path. */
  moveTo(destination: number | string): void;
  /** Opens the log file anew, after logrotate moved it. */
  reopen(): void;
  setLevel(level: LogOptions['level']): void;
  /** Writes everything that was logged: before the process ends. */
  drain(): Promise<void>;
}

/** Request lines are written in blocks; nobody waits longer than this for one (cli.md section 1.1). */
const FLUSH_EVERY_MS = 1000;
const BLOCK_CHARS = 8192;

/**
 * Opens a server's log: `log.file` when it is configured, else `fallback`. It never ends the server: a closed pipe
 * or a full disk loses lines and nothing else (reliability M21).
 *
 * @param fallback file descriptor; @param terminal what that descriptor is, which decides the format `auto`
 * @throws ConfigError when the log file cannot be opened
 */
export function openServerLog(
  config: Config['log'],
  fallback: number,
  terminal: { isTty: boolean; color: boolean },
): ServerLog {
  const { file } = config;
  const pretty =
    config.format === 'pretty' || (config.format === 'auto' && file === undefined && terminal.isTty);
  const blockChars = pretty ? 0 : BLOCK_CHARS;
  let sink = file === undefined ? openLogSink(fallback, blockChars) : openFile(file, blockChars);
  const ring = new LogRing();
  const write = (line: string): void => {
    ring.write(line);
    sink.write(pretty ? prettyLine(line, file === undefined && terminal.color) : line);
  };
  let told: LineBlocks | null = null;
  const stream = {
    write: (line: string) => {
      write(line);
      told?.write(line);
    },
  };
  const log = logTo(stream, config.level);
  setInterval(() => sink.flush(), FLUSH_EVERY_MS).unref();
  process.once('exit', () => sink.flushSync());
  return {
    log,
    ring,
    take: (lines) => lines.forEach(write),
    onLines(tell) {
      told = new LineBlocks(tell);
    },
    moveTo(next) {
      sink.flushSync();
      if (file === undefined) sink = openLogSink(next, blockChars);
    },
    reopen: () => {
      if (file !== undefined) sink.reopen();
    },
    setLevel(level) {
      log.level = level;
    },
    drain: () => sink.drain(),
  };
}

function openFile(file: string, blockChars: number): LogSink {
  try {
    return openLogSink(file, blockChars);
  } catch (error) {
    const message = `${file} cannot be written (${(error as NodeJS.ErrnoException).code})`;
    const hint = 'choose a file in a folder that this user can write to';
    throw new ConfigError([{ key: 'log.file', message, hint }]);
  }
}
