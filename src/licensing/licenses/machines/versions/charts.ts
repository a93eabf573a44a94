import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { namedProducts } from '#licensing/catalog/products/index.ts';
import type { ChartsOf } from '#platform/admin/index.ts';
import { barChart, lengthsOf } from '#platform/charts/index.ts';
import { listVersionDays, type VersionDay } from './queries.ts';

const LENGTHS = { offered: [7, 30, 90], usual: 30 };
/** As many as have a hatch of their own, the rest together. */
const MOST_TOLD = 3;
const RARER = '*';

/** Which versions run, day by day: the commonest of the last day, and all others. @param query as the list takes it, and `days` */
export async function versionCharts(ctx: Ctx, query: Readonly<Record<string, string>>): Promise<ChartsOf> {
  const { days, ranges } = lengthsOf('/admin/machines/charts', query, LENGTHS);
  const from = addSeconds(ctx.now(), (1 - days) * SECONDS_PER_DAY);
  const labels = Array.from({ length: days }, (_, at) => addSeconds(from, at * SECONDS_PER_DAY).slice(0, 10));
  const rows = await listVersionDays(ctx, {
    productIds: await namedProducts(ctx, query.productId),
    since: from.slice(0, 10),
  });
  const told = commonest(rows);
  const sum = (day: string, isOf: (version: string) => boolean): number =>
    rows
      .filter((row) => row.day === day && isOf(row.version))
      .reduce((all, { machines }) => all + machines, 0);
  const series = told.map((version) => ({
    label: version,
    values: labels.map((day) => sum(day, (one) => one === version)),
  }));
  const others = labels.map((day) => sum(day, (one) => !told.includes(one)));
  return {
    charts: [
      barChart({
        id: 'chart-versions',
        title: 'Machines by version',
        unit: 'at the last count of the day',
        of: 'Day (UTC)',
        labels,
        series: [...series, { label: 'Others and unknown', values: others }],
      }),
    ],
    ranges,
    note: 'Machines are counted every hour by the version they last reported.',
  };
}

/** Versions of the newest day that was counted, the commonest first. */
function commonest(rows: readonly VersionDay[]): string[] {
  const last = rows.at(-1)?.day;
  return rows
    .filter(({ day, version }) => day === last && version !== '' && version !== RARER)
    .sort((one, other) => other.machines - one.machines)
    .slice(0, MOST_TOLD)
    .map(({ version }) => version);
}
