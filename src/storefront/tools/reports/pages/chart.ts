import { currencyExponent } from '#kernel/money.ts';
import { barChart, type Chart, lineChart } from '#platform/charts/index.ts';
import { reportOf } from '../kinds/kinds.ts';
import type { Report, Row } from '../kinds/report.ts';
import type { Reported } from '../reports.ts';

/** More bars tell nothing; the rows are in the table. */
const MOST_BARS = 12;

/** Money as what it is worth: an axis has no cents. */
const figureIn =
  (name: string, currency: string) =>
  (row: Row): number =>
    name.endsWith('_cents')
      ? Number(row[name] ?? 0) / 10 ** currencyExponent(currency)
      : Number(row[name] ?? 0);

const dayOf = (period: unknown): string => (String(period).length === 7 ? `${period}-01` : String(period));

/** The chart of a report; null where it has no rows. @param csvHref of all of them */
export function chartOf(reported: Reported, csvHref: string): Chart | null {
  const { name, currency, zone, group } = reported;
  const { drawn } = reportOf(name) as Report;
  const rows = reported.series ?? reported.rows;
  if (reported.rows.length === 0) return null;
  const parts = Object.entries(drawn.parts);
  const isMoney = parts.every(([column]) => column.endsWith('_cents'));
  const words = { id: `chart-${name}`, title: drawn.title, unit: isMoney ? currency : 'orders', csvHref };
  if (drawn.as === 'line') {
    const of = (some: readonly Row[]) =>
      parts.map(([column, label]) => ({ label, values: some.map(figureIn(column, currency)) }));
    const before = reported.compared && of(reported.compared.series ?? [])[0]?.values;
    return lineChart({
      ...words,
      days: rows.map((row) => dayOf(row[drawn.label])),
      grain: group,
      zone,
      series: of(rows),
      // As many points as there are now: a month before may have had one week more.
      ...(before && { previous: rows.map((_, at) => before[at] ?? null) }),
    });
  }
  const shown = rows.slice(0, MOST_BARS);
  return barChart({
    ...words,
    of: 'Row',
    labels: shown.map((row) => String(row[drawn.label] ?? '')),
    series: parts.map(([column, label]) => ({ label, values: shown.map(figureIn(column, currency)) })),
  });
}
