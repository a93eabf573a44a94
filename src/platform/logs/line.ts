import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import type { KeptLine } from '#kernel/log-ring.ts';
import { later } from '#kernel/sharing.ts';

/** From the least serious to the worst. */
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof LEVELS)[number];

/** What a line is about: an answer, a job or task, what is sent and received, or the server itself. */
export const SOURCES = ['requests', 'jobs', 'webhooks', 'server'] as const;
export type Source = (typeof SOURCES)[number];

/** A line of the log, of which secrets were replaced before it was written. */
export const LogLineView = later(() =>
  z
    .object({
      seq: z.int().describe('Counts the lines of this server since it started'),
      at: instant(),
      level: z.enum(LEVELS),
      source: z.enum(SOURCES),
      message: z.string(),
      requestId: z.string().nullable(),
      fields: z.record(z.string(), z.unknown()).describe('Other fields of the line'),
    })
    .meta({ id: 'LogLine' }),
);
export type LogLine = z.output<typeof LogLineView>;

/** Addresses that show the log: their own lines would move what somebody looks at, and each would bring the next. */
const OWN_ROUTES = ['/admin/system/logs', '/api/v1/admin/logs', '/api/v1/admin/logs/stream'];

/** @returns null for a text that is no record, and for requests that look at the log */
export function lineOf({ seq, text }: KeptLine): LogLine | null {
  const record = parsed(text);
  if (record === null) return null;
  const { time, level, msg, requestId, ...fields } = record;
  if (OWN_ROUTES.includes(String(fields.route))) return null;
  return {
    seq,
    at: String(time),
    level: LEVELS.find((one) => one === level) ?? 'info',
    source: sourceOf(String(msg ?? ''), fields),
    message: String(msg ?? ''),
    requestId: typeof requestId === 'string' ? requestId : null,
    fields,
  };
}

function sourceOf(message: string, fields: Readonly<Record<string, unknown>>): Source {
  if (message === 'request' && 'status' in fields) return 'requests';
  if ('job' in fields || 'task' in fields) return 'jobs';
  return ['outbox', 'inbound', 'inboundEvent', 'webhook'].some((name) => name in fields)
    ? 'webhooks'
    : 'server';
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
