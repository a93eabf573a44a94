import { z } from 'zod';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { type Page, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { reportTable, titles } from './report-table.ts';
import { type ReportName, reportRows } from './report-views.ts';
import { report } from './reports.ts';

const PATH = '/admin/reports';
const AUDIENCE = { staff: 'licensing:read' } as const;
/** More products are named by their slug in the address. */
const MOST_PRODUCTS = 100;

/** A day as a browser sends it; empty where none was chosen. What is no day is told beside the report. */
const sent = () => z.string().max(63).optional();

/** The reports that there are, each with what it measures. */
const reportsPage: Page = page({
  path: PATH,
  title: 'Reports',
  audience: AUDIENCE,
  layout: 'layouts/panel',
  help: 'reports',
  nav: { area: 'insights', label: 'Reports', order: 10 },
  show: async () =>
    show('licensing/reports', {
      reports: Object.entries(titles).map(([name, words]) => ({ ...words, href: `${PATH}/${name}` })),
    }),
});

/** One report with its range, its product, a chart and its rows (admin.md 5.5). */
const reportPage: Page = page({
  path: `${PATH}/{name}`,
  title: 'Report',
  audience: AUDIENCE,
  layout: 'layouts/panel',
  help: 'reports',
  params: z.object({ name: text({ min: 1, max: 63 }) }),
  query: later(() => z.object({ from: sent(), to: sent(), product: sent() })),
  async show(ctx, { params, query }) {
    const answer = await answerOf(ctx, params.name, query);
    const { name, from, to } = 'fault' in answer ? { ...query, name: params.name } : answer;
    const path = `${PATH}/${encodeURIComponent(name)}`;
    const zoomTo = (range: Range): string => `${path}?${new URLSearchParams(sentBack(range, query))}`;
    return show(
      'licensing/report',
      {
        ...titles[name as ReportName],
        path,
        ranges: rangesOf(ctx).map(({ label, ...range }) => ({
          label,
          href: zoomTo(range),
          isCurrent: range.from === from && range.to === to,
        })),
        from,
        to,
        product: query.product ?? '',
        products: await choices(ctx),
        fault: 'fault' in answer ? answer.fault : null,
        chart: 'fault' in answer ? null : (await import('./report-chart.ts')).chartOf(answer),
        table: 'fault' in answer ? null : reportTable(answer, (month) => zoomTo(daysOfMonth(month))),
        csvHref: 'fault' in answer ? null : fileOf(name, query),
      },
      { status: 'fault' in answer ? 400 : 200 },
    );
  },
});

export const reportPages: readonly Page[] = [reportsPage, reportPage];

type Query = { readonly [K in 'from' | 'to' | 'product']?: string | undefined };

/** @throws AppError NOT_FOUND for an unknown report */
async function answerOf(ctx: Ctx, name: string, query: Query) {
  try {
    for (const day of [query.from, query.to])
      if (day && !z.iso.date().safeParse(day).success)
        return { fault: `"${day}" is not a day like 2026-01-31` };
    return await report(ctx, name, { ...timesOf(query), product: query.product || undefined });
  } catch (error) {
    if (!(error instanceof AppError) || !Object.hasOwn(reportRows, name)) throw error;
    return { fault: error.message };
  }
}

/** Days in UTC, both within. */
interface Range {
  readonly from: string;
  readonly to: string;
}

/** What many want to look at, up to today. */
function rangesOf(ctx: Ctx): readonly (Range & { readonly label: string })[] {
  const to = ctx.now().slice(0, 10);
  const since = (days: number): string =>
    addSeconds(`${to}T00:00:00.000Z`, (1 - days) * SECONDS_PER_DAY).slice(0, 10);
  return [
    { label: '30 days', from: since(30), to },
    { label: '90 days', from: since(90), to },
    { label: '1 year', from: since(365), to },
    { label: '2 years', from: since(730), to },
  ];
}

/** @param month `2026-03` */
function daysOfMonth(month: string): Range {
  const next = addSeconds(`${month}-28T00:00:00.000Z`, 4 * SECONDS_PER_DAY).slice(0, 7);
  const to = addSeconds(`${next}-01T00:00:00.000Z`, -SECONDS_PER_DAY).slice(0, 10);
  return { from: `${month}-01`, to };
}

const sentBack = (range: Range, { product }: Query): Record<string, string> => ({
  ...range,
  ...(product && { product }),
});

/** Days are whole ones in UTC, and the last one counts. */
const timesOf = ({ from, to }: Query) => ({
  ...(from && { from: `${from}T00:00:00.000Z` }),
  ...(to && { to: addSeconds(`${to}T00:00:00.000Z`, SECONDS_PER_DAY) }),
});

const fileOf = (name: string, query: Query): string => {
  const asked = new URLSearchParams({ format: 'csv', ...timesOf(query), ...productOf(query) });
  return `/api/v1/admin/reports/${encodeURIComponent(name)}?${asked}`;
};

const productOf = ({ product }: Query) => ({ ...(product && { productId: product }) });

const choices = async (ctx: Ctx): Promise<{ slug: string; name: string }[]> =>
  (await products.list(ctx, { page: 1, limit: MOST_PRODUCTS })).items.map(({ slug, name }) => ({
    slug,
    name,
  }));
