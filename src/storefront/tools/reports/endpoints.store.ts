/** Reports for staff and their programs (storefront-api.md, R). */
import { z } from 'zod';
import { download, type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { count, flag, oneOf, optional, queryInteger, text } from '#kernel/http/fields.ts';
import { SOURCES } from '#storefront/orders/orders/index.ts';
import { COMPARED, GROUPS } from './daily/ranges.ts';
import { reportFile } from './file.ts';
import { rebuild } from './fold.ts';
import { REPORT_NAMES, REPORTS, type ReportName } from './kinds/kinds.ts';
import type { Report } from './kinds/report.ts';
import { DEFAULT_LIMIT, MOST_LIMIT, report, type Wish } from './reports.ts';
import { reportSchema, reportView } from './view.ts';

const day = (about: string) =>
  text({ min: 1, max: 40 }).describe(`${about}: a day such as \`2026-01-31\`, or a time, whose day it is`);

const groupField = () =>
  optional(oneOf(GROUPS)).describe('Default: days up to 90 days, weeks up to two years, then months');
const channelField = () => optional(oneOf(SOURCES)).describe('Only orders from this source');
const currencyField = () =>
  optional(z.string().regex(/^[A-Z]{3}$/, 'must be a currency such as EUR')).describe(
    "Default: the shop's currency",
  );
const compareField = () =>
  optional(oneOf(COMPARED)).describe(
    '`previous`: the same number of days right before; `year`: the same days of the year before',
  );

function queryOf(known: Report) {
  const range = {
    from: day('The first day, in the time zone of the shop'),
    to: day('The last day, inclusive'),
  };
  const { from, to } = known.needsRange ? range : { from: range.from.optional(), to: range.to.optional() };
  return z.object({
    ...(known.of === 'moment'
      ? { as_of: optional(day('Stock at the end of this day; default: today')) }
      : { from, to, compare: compareField() }),
    ...(known.hasGroup && { group: groupField() }),
    ...(known.hasChannel && { channel: channelField() }),
    ...(known.hasLimit && {
      limit: queryInteger({ min: 1, max: MOST_LIMIT, fallback: DEFAULT_LIMIT }).describe(
        'Maximum number of rows',
      ),
    }),
    currency: currencyField(),
  });
}

/** How far counting all orders again is. */
const rebuildSchema = () =>
  z
    .object({
      orders: count().describe('Counted so far'),
      total: count(),
      done: z.boolean().describe('False: call again, with `restart` false, to count more'),
    })
    .meta({ id: 'ReportRebuild' });

/** The query of a report as the use case takes it. */
const wishOf = ({ as_of: asOf, ...query }: Record<string, unknown>): Wish => ({
  ...(query as Wish),
  ...(typeof asOf === 'string' && { to: asOf }),
});

/** Which days it is about when none are named. */
const daysOf = ({ of, needsRange }: Report): string[] =>
  of === 'range' && !needsRange ? ['The default range is the last 30 days.'] : [];

const one = (name: ReportName): Endpoint => {
  const known: Report = REPORTS[name];
  const { title, about, more, keyScope } = known;
  return endpoint({
    method: 'get',
    path: `/api/store/reports/${name}`,
    summary: `Show the report: ${title.toLowerCase()}`,
    description: [about, more, ...daysOf(known)].filter((one) => one).join(' '),
    scope: 'reports:read',
    orScope: keyScope,
    limit: null,
    query: () => queryOf(known),
    replies: () => ({ 200: z.object({ data: reportSchema(name) }) }),
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => ({
      status: 200,
      body: { data: reportView(await report(ctx, name, wishOf(query))) },
    }),
  });
};

const fileQuery = () =>
  z.object({
    from: day('The first day').optional(),
    to: day('The last day, inclusive').optional(),
    as_of: day('For `inventory`: stock at the end of this day').optional(),
    group: groupField(),
    channel: channelField(),
    currency: currencyField(),
  });

export const reportEndpoints: readonly Endpoint[] = [
  ...REPORT_NAMES.map(one),
  endpoint({
    method: 'post',
    path: '/api/store/reports/rebuild',
    summary: 'Recount all orders for the reports',
    description:
      'Clears the figures and recounts all orders, some with each call. Call until `done` is true. Otherwise a job counts the rest.',
    scope: 'settings:write',
    limit: null,
    bodyOptional: true,
    body: () => z.object({ restart: flag().default(true).describe('False continues where it is') }),
    replies: () => ({ 200: z.object({ data: rebuildSchema() }) }),
    errors: [],
    handle: async (ctx, { body }) => ({ status: 200, body: { data: await rebuild(ctx, body.restart) } }),
  }),
  endpoint({
    method: 'get',
    path: '/api/store/reports/{name}/export.csv',
    summary: 'Export all rows of a report as CSV',
    description: `The reports are ${REPORT_NAMES.map((name) => `\`${name}\``).join(', ')}. Amounts have their decimal places.`,
    scope: 'reports:read',
    orScope: 'orders:read',
    limit: null,
    params: z.object({ name: text({ min: 1, max: 40 }) }),
    query: fileQuery,
    content: {
      type: 'text/csv',
      headers: { 'Content-Disposition': 'Attachment, named after the report and its days' },
    },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => download(await reportFile(ctx, params.name, wishOf(query))),
  }),
];
