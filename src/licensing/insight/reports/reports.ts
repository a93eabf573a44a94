import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { daysOf, EXHAUSTED, type RangeAsked } from '../statistics/index.ts';
import { listDenials } from './denied/queries.ts';
import { type ReportAnswer, type ReportName, type ReportRow, reportRows } from './report-views.ts';
import { productIdOf } from './seats.ts';
import { churn, type ReportFilter, renewalCohorts } from './terms/queries.ts';
import { versionAdoption, webhookReliability } from './use/queries.ts';

/** How a report is made, and how many days it covers when no range is given. */
interface Report {
  readonly days: number;
  readonly rows: (ctx: Ctx, filter: ReportFilter) => Promise<ReportRow[]>;
}

const YEAR = 365;
const MONTH = 30;
/** Licenses that need seats most; all of them are in GET /stats/denials. */
const MOST_DENIED = 1000;

const reports: Readonly<Record<ReportName, Report>> = {
  'renewal-cohorts': { days: YEAR, rows: renewalCohorts },
  churn: { days: YEAR, rows: churn },
  'version-adoption': { days: MONTH, rows: versionAdoption },
  'denied-seats': { days: MONTH, rows: deniedSeats },
  'webhook-reliability': { days: MONTH, rows: webhookReliability },
};

/**
 * The rows of a report, of what the actor sees.
 *
 * @param asked `product` by slug or id
 * @throws AppError NOT_FOUND for an unknown report, with the known names, and for an unknown product; VALIDATION_ERROR for
 *   a range out of bounds
 */
export async function report(
  ctx: Ctx,
  name: string,
  { product, ...asked }: RangeAsked & { product?: string | undefined },
): Promise<z.output<typeof ReportAnswer>> {
  if (!isReport(name)) {
    const names = Object.keys(reportRows).join(', ');
    throw fail('NOT_FOUND', `report ${name} was not found; the reports are ${names}`);
  }
  const { days, rows } = reports[name];
  const filter = { range: daysOf(ctx, asked, days), productId: await productIdOf(ctx, product) };
  return { name, ...filter.range, rows: await rows(ctx, filter) };
}

/** Of the terms that end in this month, UTC: how many of those that are renewed or lapsed were renewed; null for none. */
export async function renewedPercentOfMonth(ctx: Ctx): Promise<number | null> {
  const today = ctx.now().slice(0, 10);
  const filter = { range: { from: today, to: today }, productId: undefined };
  return (await renewalCohorts(ctx, filter)).at(-1)?.renewedPercent ?? null;
}

const isReport = (name: string): name is ReportName => Object.hasOwn(reportRows, name);

async function deniedSeats(ctx: Ctx, filter: ReportFilter): Promise<ReportRow[]> {
  const asked = { ...filter, code: EXHAUSTED, minCount: 1, groupBy: 'license' } as const;
  return (await listDenials(ctx, asked, { offset: 0, limit: MOST_DENIED })).items;
}
