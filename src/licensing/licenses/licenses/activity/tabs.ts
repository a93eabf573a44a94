import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { localSecond } from '#kernel/local-time.ts';
import { usualTextOf } from '../../decision/index.ts';
import type { AdminLicenseView } from '../view.ts';
import { listLicenseDays, listRefused, listSpans } from './queries.ts';

/** Days for which counters of a license are kept. */
const DAYS = 31;

const daysUpTo = (now: string): string[] =>
  Array.from({ length: DAYS }, (_, at) => addSeconds(now, (at + 1 - DAYS) * SECONDS_PER_DAY).slice(0, 10));

type License = Pick<AdminLicenseView, 'id' | 'maxActivations'>;

/** Charts of what was asked of a license, and of its machines. */
export async function activity(ctx: Ctx, { id, maxActivations }: License): Promise<Record<string, unknown>> {
  const days = daysUpTo(ctx.now());
  const since = days[0] as string;
  // The library that draws is loaded for whoever looks.
  const [{ activityCharts }, counted, spans] = await Promise.all([
    import('./charts.ts'),
    listLicenseDays(ctx, id, since),
    listSpans(ctx, id, `${since}T00:00:00.000Z`),
  ]);
  return { charts: activityCharts({ days, counted, spans, most: maxActivations, now: ctx.now() }) };
}

/** Who was refused and why, by day and code. */
export async function refusals(ctx: Ctx, { id }: License): Promise<Record<string, unknown>> {
  const rows = await listRefused(ctx, id, daysUpTo(ctx.now())[0] as string);
  const time = (iso: string): string => localSecond(new Date(iso));
  return {
    days: DAYS,
    rows: rows.map((row) => ({
      ...row,
      words: usualTextOf(row.code),
      firstAt: time(row.firstAt),
      lastAt: time(row.lastAt),
      requestsHref: `/admin/requests?${new URLSearchParams({
        licenseId: id,
        code: row.code,
        from: `${row.day}T00:00:00Z`,
        to: `${addSeconds(`${row.day}T00:00:00.000Z`, SECONDS_PER_DAY).slice(0, 10)}T00:00:00Z`,
      })}`,
    })),
  };
}
