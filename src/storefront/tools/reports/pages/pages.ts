import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { type Page, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { dayIn } from '#storefront/contract/local-day.ts';
import { timezone } from '#storefront/contract/settings.ts';
import { addDays, COMPARED, type Compared, type DayRange, GROUPS, type Group } from '../daily/ranges.ts';
import { REPORT_NAMES, REPORTS } from '../kinds/kinds.ts';
import type { Report } from '../kinds/report.ts';
import { knownReport, type Reported, report, type Wish } from '../reports.ts';
import { tableOf } from './table.ts';

const PATH = '/store/reports';
const AUDIENCE = { staff: 'reports:read' } as const;
const LISTED = 50;

/** As a browser sends it; empty where nothing was chosen. What is wrong is said beside the report. */
const sent = () => z.string().max(63).optional();

/** The reports that there are, each with what it says. */
const reportsPage: Page = page({
  path: PATH,
  title: 'Reports',
  audience: AUDIENCE,
  layout: PANEL,
  help: 'store-reports',
  nav: { area: 'store', label: 'Reports', words: 'sales revenue taxes export refunds', order: 85 },
  show: async () =>
    show('store/reports', {
      reports: REPORT_NAMES.map((name) => {
        const { title, about } = REPORTS[name];
        return { title, about, href: `${PATH}/${name}` };
      }),
    }),
});

/** One report with its days, what it is compared with, a chart and its rows */
const reportPage: Page = page({
  path: `${PATH}/{name}`,
  title: 'Report',
  audience: AUDIENCE,
  layout: PANEL,
  help: 'store-reports',
  params: z.object({ name: text({ min: 1, max: 40 }) }),
  query: later(() => z.object({ from: sent(), to: sent(), group: sent(), compare: sent() })),
  async show(ctx, { params, query }) {
    const known = knownReport(params.name);
    const answer = await answerOf(ctx, params.name, query);
    const fault = 'fault' in answer ? answer.fault : null;
    const reported = 'fault' in answer ? null : answer;
    return show(
      'store/report',
      {
        ...aroundOf(ctx, params.name, known, query, reported),
        fault,
        chart: reported && (await import('./chart.ts')).chartOf(reported, fileOf(reported, query)),
        table: reported && tableOf(reported, (range) => addressOf(params.name, { ...query, ...range })),
        csvHref: reported && fileOf(reported, query),
      },
      { status: fault === null ? 200 : 400 },
    );
  },
});

export const reportPages: readonly Page[] = [reportsPage, reportPage];

type Query = { readonly [K in 'from' | 'to' | 'group' | 'compare']?: string | undefined };

const oneOf = <T extends string>(known: readonly T[], asked: string | undefined): T | undefined =>
  known.find((one) => one === asked);

const wishOf = (known: Report, { from, to, group, compare }: Query): Wish => ({
  to: to || undefined,
  ...(known.of === 'range' && {
    from: from || undefined,
    compare: oneOf<Compared>(COMPARED, compare),
    group: oneOf<Group>(GROUPS, group),
  }),
  limit: LISTED,
});

/** @throws AppError NOT_FOUND for an unknown report */
async function answerOf(ctx: Ctx, name: string, query: Query): Promise<Reported | { fault: string }> {
  const known = knownReport(name);
  try {
    return await report(ctx, name, { ...wishOf(known, query), ...(!known.hasLimit && { limit: undefined }) });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
    return { fault: error.message.replace(/^(\w+): /, (_, field: string) => `${FIELDS[field] ?? field} `) };
  }
}

const FIELDS: Readonly<Record<string, string>> = {
  from: 'The first day',
  to: 'The last day',
  group: 'The period',
};

const addressOf = (name: string, query: Query): string => {
  const kept = Object.entries(query).flatMap(([key, value]): [string, string][] =>
    value ? [[key, value]] : [],
  );
  return kept.length === 0 ? `${PATH}/${name}` : `${PATH}/${name}?${new URLSearchParams(kept)}`;
};

const fileOf = ({ name, from, to }: Reported, { group }: Query): string => {
  const asked = new URLSearchParams({ from, to, ...(group && { group }) });
  return `/api/store/reports/${name}/export.csv?${asked}`;
};

/** What many want to look at, up to today. */
function rangesOf(today: string): readonly (DayRange & { readonly label: string })[] {
  const since = (days: number): DayRange => ({ from: addDays(today, 1 - days), to: today });
  return [
    { label: '7 days', ...since(7) },
    { label: '30 days', ...since(30) },
    { label: '90 days', ...since(90) },
    { label: '1 year', ...since(365) },
  ];
}

const COMPARISONS = [
  { value: '', label: 'Nothing' },
  { value: 'previous', label: 'Previous period' },
  { value: 'year', label: 'Previous year' },
];
const PERIODS = [
  { value: '', label: 'Automatic' },
  { value: 'day', label: 'Days' },
  { value: 'week', label: 'Weeks' },
  { value: 'month', label: 'Months' },
];

/** What is around the figures: where else to look. */
function aroundOf(ctx: Ctx, name: string, known: Report, query: Query, reported: Reported | null) {
  const zone = ctx.settings.get(timezone);
  const days = { from: reported?.from ?? query.from ?? '', to: reported?.to ?? query.to ?? '' };
  const isRange = known.of === 'range';
  return {
    name,
    title: known.title,
    about: known.about,
    empty: known.empty,
    path: `${PATH}/${name}`,
    zone,
    ...days,
    isRange,
    compares: isRange ? COMPARISONS : [],
    compare: query.compare ?? '',
    groups: known.hasGroup ? PERIODS : [],
    group: query.group ?? '',
    ranges: isRange
      ? rangesOf(dayIn(ctx.now(), zone)).map(({ label, ...range }) => ({
          label,
          href: addressOf(name, { ...query, ...range }),
          isCurrent: range.from === days.from && range.to === days.to,
        }))
      : [],
    others: REPORT_NAMES.filter((other) => other !== name).map((other) => ({
      title: REPORTS[other].title,
      href: addressOf(other, REPORTS[other].of === 'range' && isRange ? { ...days } : {}),
    })),
    counting: reported?.counting ?? null,
    isBehind: reported?.isBehind ?? false,
  };
}
