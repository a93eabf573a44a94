import { z } from 'zod';
import { type Page, page, show } from '#kernel/http/page.ts';
import { localClock } from '#kernel/local-time.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '../panel/index.ts';
import { LEVELS, type LogLine, SOURCES } from './line.ts';
import { recentLines, ringOf } from './logs.ts';

const PATH = '/admin/system/logs';
const API = '/api/v1/admin/logs';
const MOST_SHOWN = 100;

const Query = later(() =>
  z.object({
    level: z.enum(LEVELS).optional().catch(undefined),
    source: z.enum(SOURCES).optional().catch(undefined),
    q: z.string().max(200).optional().catch(undefined),
    requestId: z.string().max(63).optional().catch(undefined),
  }),
);

const TONES: Readonly<Record<LogLine['level'], string>> = {
  trace: 'muted',
  debug: 'muted',
  info: 'info',
  warn: 'warn',
  error: 'bad',
  fatal: 'bad',
};

/** The log of this server as it grows: filters, pause, file and histogram (admin.md 5.6). */
const logPage: Page = page({
  path: PATH,
  title: 'Logs',
  audience: { staff: 'system:read' },
  layout: PANEL,
  help: 'check-a-server',
  nav: { area: 'system', label: 'Logs', words: 'errors output', order: 75 },
  fragments: { list: 'platform/log-lines' },
  query: Query,
  async show(ctx, { query }) {
    const isKept = ringOf(ctx) !== null;
    const lines = recentLines(ctx, query);
    const asked = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value ? [[name, value]] : [],
    );
    const withAsked = (path: string, more: readonly [string, string][] = []): string => {
      const all = [...more, ...asked];
      return all.length > 0 ? `${path}?${new URLSearchParams(all)}` : path;
    };
    // The library that draws is loaded for whoever looks.
    const { histogramOf } = await import('./histogram.ts');
    return show('platform/logs', {
      isKept,
      path: PATH,
      query,
      levels: LEVELS,
      sources: SOURCES,
      isNarrowed: asked.length > 0,
      lines: lines.slice(0, MOST_SHOWN).map(shownLine),
      total: lines.length,
      live: { href: withAsked(PATH), stream: withAsked(`${API}/stream`) },
      fileHref: withAsked(API, [['format', 'jsonl']]),
      chart: histogramOf(lines),
    });
  },
});

export const logPages: readonly Page[] = [logPage];

function shownLine({ at, level, source, message, requestId, fields, seq }: LogLine) {
  const time = new Date(at);
  const { err, ...others } = fields as { err?: { stack?: string; message?: string } };
  return {
    seq,
    at,
    time: Number.isNaN(time.getTime()) ? at : localClock(time),
    level,
    tone: TONES[level],
    source,
    message,
    requestId,
    requestHref: requestId && `${PATH}?${new URLSearchParams({ requestId })}`,
    fields: Object.entries(others)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(' '),
    error: err?.stack ?? err?.message ?? null,
  };
}
