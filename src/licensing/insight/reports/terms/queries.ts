import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { renewedTerm } from '#kernel/db/dialect.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { type DayRange, eachDay } from '../../statistics/index.ts';
import type { ChurnView, RenewalCohortView } from '../report-views.ts';

/** What a report is about. */
export interface ReportFilter {
  readonly range: DayRange;
  readonly productId: string | undefined;
}

/** `2026-03` for each month that the range touches. */
const monthsOf = (range: DayRange): string[] => [...new Set(eachDay(range).map((day) => day.slice(0, 7)))];

export const percent = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1000) / 10;

/** Licenses `l` that the actor sees; those in the trash and canary keys are left out. */
export function licenses(ctx: Ctx, { productId }: ReportFilter) {
  const query = ctx.db
    .knex('licenses as l')
    .where('l.tenant_id', ctx.tenantId)
    .where('l.honeypot', false)
    .whereNull('l.deleted_at');
  visibleTo(ctx, query, { license_product: 'l.product_id' });
  return productId === undefined ? query : query.where('l.product_id', productId);
}

/** Whole months: a part of one could not be compared with the others. */
function months({ range }: ReportFilter) {
  const all = monthsOf(range);
  return {
    all,
    from: `${all[0]}-01T00:00:00.000Z`,
    before: nextMonth(all.at(-1) ?? ''),
  };
}

const nextMonth = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
  return `${next}-01T00:00:00.000Z`;
};

/** What became of the terms that ended in each month of the range. */
export async function renewalCohorts(
  ctx: Ctx,
  filter: ReportFilter,
): Promise<z.output<typeof RenewalCohortView>[]> {
  const { all, from, before } = months(filter);
  const { knex } = ctx.db;
  const now = ctx.now();
  const ended = renewedTerm(knex);
  const renewals: { month: string; n: unknown }[] = await licenses(ctx, filter)
    .join('events as e', 'e.subject', 'l.id')
    // The index of renewals holds these alone, and is found by this text.
    .whereRaw("e.type = 'LICENSE_RENEWED'")
    .where('e.tenant_id', ctx.tenantId)
    .whereRaw('? >= ? AND ? < ?', [ended, from, ended, before])
    .groupByRaw('1')
    .select(knex.raw('substr(?, 1, 7) AS month', [ended]))
    .count({ n: '*' });
  const ends: { month: string; is_open: unknown; n: unknown }[] = await licenses(ctx, filter)
    .whereNot('l.status', 'REVOKED')
    .where('l.valid_until', '>=', from)
    .where('l.valid_until', '<', before)
    .groupByRaw('1, 2')
    .select(
      knex.raw('substr(l.valid_until, 1, 7) AS month'),
      knex.raw('CASE WHEN l.valid_until > ? THEN 1 ELSE 0 END AS is_open', [now]),
    )
    .count({ n: '*' });
  return all.map((month) => {
    const renewed = Number(renewals.find((row) => row.month === month)?.n ?? 0);
    const endsOf = (isOpen: boolean) =>
      Number(ends.find((row) => row.month === month && Boolean(Number(row.is_open)) === isOpen)?.n ?? 0);
    const [lapsed, open] = [endsOf(false), endsOf(true)];
    const renewedPercent = percent(renewed, renewed + lapsed);
    return { month, due: renewed + lapsed + open, renewed, lapsed, open, renewedPercent };
  });
}

/** Licenses at the beginning of each month of the range, and those that it lost. */
export async function churn(ctx: Ctx, filter: ReportFilter): Promise<z.output<typeof ChurnView>[]> {
  const { all } = months(filter);
  const { knex } = ctx.db;
  const now = ctx.now();
  const rows: { created: string; ended: string | null; revoked: string | null; n: unknown }[] =
    await licenses(ctx, filter)
      .groupByRaw('1, 2, 3')
      .select(
        knex.raw('substr(l.created_at, 1, 7) AS created'),
        knex.raw('CASE WHEN l.valid_until <= ? THEN substr(l.valid_until, 1, 7) END AS ended', [now]),
        knex.raw("CASE WHEN l.status = 'REVOKED' THEN substr(l.revoked_at, 1, 7) END AS revoked"),
      )
      .count({ n: '*' });
  const sum = (isMeant: (row: (typeof rows)[number]) => boolean): number =>
    rows.filter(isMeant).reduce((total, { n }) => total + Number(n), 0);
  return all.map((month) => {
    const isOver = ({ ended, revoked }: (typeof rows)[number]): boolean =>
      (ended !== null && ended < month) || (revoked !== null && revoked < month);
    const atStart = sum((row) => row.created < month && !isOver(row));
    const revoked = sum((row) => row.revoked === month && (row.ended ?? month) >= month);
    const expired = sum((row) => row.ended === month && (row.revoked ?? '9') > month);
    const created = sum((row) => row.created === month);
    return { month, atStart, created, expired, revoked, churnPercent: percent(expired + revoked, atStart) };
  });
}
