/** A line of a log. */
export interface LogLine {
  /** As it was written. */
  readonly text: string;
  readonly record: LogRecord;
}

export interface LogRecord {
  readonly level: string;
  readonly time: string | null;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Where a log is read. */
export interface LogSource {
  /** What it is, for whoever reads: `/var/log/appctl.log`. */
  readonly name: string;
  /** Lines that were written before, the newest first. */
  newest(): AsyncIterable<LogLine>;
  /** Lines written after those of `newest`, which was asked first, until the process ends. */
  following(): AsyncIterable<LogLine>;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** @param told of a line that is no record, where it is kept: when it was written and how severe it is */
export function lineOf(text: string, told: { time?: string; level?: string } = {}): LogLine {
  const record = parsed(text);
  if (record && typeof record.level === 'string' && typeof record.msg === 'string')
    return { text, record: { ...record, time: String(record.time) } as LogRecord };
  return { text, record: { level: told.level ?? 'info', time: told.time ?? null, msg: text } };
}

function parsed(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Which lines are wanted; what is absent narrows nothing. */
export interface LogFilter {
  readonly level?: string | undefined;
  readonly since?: string | undefined;
  readonly grep?: RegExp | undefined;
  readonly requestId?: string | undefined;
  readonly source?: string | undefined;
}

export function matches({ text, record }: LogLine, filter: LogFilter): boolean {
  const { level, since, grep, requestId, source } = filter;
  if (level !== undefined && LEVELS.indexOf(record.level) < LEVELS.indexOf(level)) return false;
  if (since !== undefined && record.time !== null && record.time < since) return false;
  if (requestId !== undefined && record.requestId !== requestId) return false;
  if (source !== undefined && sourceOf(record) !== source) return false;
  return grep === undefined || grep.test(text);
}

/** What a line is about. */
function sourceOf(record: LogRecord): string {
  if (record.msg === 'request' && 'status' in record) return 'http';
  if ('email' in record || 'mail' in record) return 'mail';
  if ('job' in record || 'task' in record) return 'job';
  if (['outbox', 'inbound', 'inboundEvent', 'webhook'].some((name) => name in record)) return 'webhook';
  return 'hash' in record && 'seq' in record ? 'audit' : 'server';
}

/** Whether lines before this one cannot be wanted. */
export const isBefore = ({ record }: LogLine, { since }: LogFilter): boolean =>
  since !== undefined && record.time !== null && record.time < since;
