import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { streamContent } from '#kernel/http/content.ts';
import { download, endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, queryInteger, text } from '#kernel/http/fields.ts';
import { liveTail } from '#kernel/http/live-slots.ts';
import { later } from '#kernel/sharing.ts';
import { notingExport } from '../audit/index.ts';
import { LEVELS, type LogLine, LogLineView, SOURCES } from './line.ts';
import { type LogFilter, recentLines, ringOf } from './logs.ts';
import { streamLines } from './stream.ts';

const MOST_LINES = 2000;

/** Parameters that narrow the log. */
export const logFilters = {
  level: oneOf(LEVELS).optional().describe('This level and more severe ones'),
  source: oneOf(SOURCES).optional(),
  q: text({ max: 200 }).optional().describe('Text anywhere in the line; not case-sensitive'),
  requestId: text({ max: 63 }).optional(),
};

const ABOUT =
  'Lines of this server only. It keeps the newest 2,000 lines or two megabytes in memory. If several servers share a ' +
  'database, each has its own. Requests for the log itself are left out.';

/** The log of the server that answers (admin.md 5.6). */
export const logEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/admin/logs',
    summary: 'List the newest log lines of this server',
    description: `${ABOUT} \`format=jsonl\` returns a file.`,
    scope: 'system:read',
    limit: null,
    query: later(() =>
      z.strictObject({
        ...logFilters,
        limit: queryInteger({ min: 1, max: MOST_LINES, fallback: 100 }),
        format: oneOf(['json', 'jsonl']).default('json'),
      }),
    ),
    replies: { 200: z.object({ items: z.array(LogLineView) }).meta({ id: 'LogLines' }) },
    file: { type: 'application/x-ndjson' },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { query: { limit, format, ...filter } }) {
      if (format === 'json') return ok({ items: recentLines(ctx, filter, limit) });
      return download(fileOf(ctx, filter));
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/admin/logs/stream',
    summary: 'Follow the log of this server, as server-sent events',
    description: `${ABOUT} Each line is sent within a second, as \`data\` with the same object as in the list. A comment is sent every 15 seconds. The stream ends when the server stops, and within five seconds after the caller loses access. One person or token can have five streams open.`,
    scope: 'system:read',
    limit: null,
    query: z.strictObject(logFilters),
    live: true,
    content: { type: 'text/event-stream', headers: { 'X-Accel-Buffering': '`no`' } },
    replies: {},
    errors: ['VALIDATION_ERROR', 'RATE_LIMITED'],
    async handle(ctx, { query, live }) {
      if (!live) throw new Error('the log is streamed by a server');
      ringOf(ctx);
      return liveTail(ctx, () => streamLines(ctx, live, query));
    },
  }),
];

/** The lines that match as a file, the oldest first, which the audit log remembers like every export. */
function fileOf(ctx: Ctx, filter: LogFilter) {
  const lines = recentLines(ctx, filter).reverse();
  const about = { what: 'logs', format: 'jsonl', filter: { ...filter } };
  const name = `log-${ctx.now().slice(0, 10)}.jsonl`;
  return streamContent('application/x-ndjson; charset=utf-8', name, linesOf(ctx, about, lines));
}

async function* linesOf(
  ctx: Ctx,
  about: Parameters<typeof notingExport>[1],
  lines: readonly LogLine[],
): AsyncGenerator<Uint8Array> {
  for await (const page of notingExport(ctx, about, pageOf(lines)))
    yield Buffer.from(page.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

async function* pageOf(lines: readonly LogLine[]): AsyncGenerator<readonly LogLine[]> {
  yield lines;
}
