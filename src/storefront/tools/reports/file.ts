import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { csvFile } from '#platform/audit/index.ts';
import type { Report, Row } from './kinds/report.ts';
import { ALL_ROWS, knownReport, type Reported, report, type Wish } from './reports.ts';

/** Money with its decimal places, as programs of figures read it. */
export const fileColumns = ({ columns }: Report): string[] => [
  ...columns.map(({ name, kind }) => (kind === 'money' ? name.replace(/_cents$/, '') : name)),
  'currency',
];

/** The rows of a report as its file has them. */
export function fileRows(
  { columns }: Report,
  { rows, currency }: Pick<Reported, 'rows' | 'currency'>,
): Row[] {
  return rows.map((row) => ({
    ...Object.fromEntries(
      columns.map(({ name, kind }) => {
        const value = row[name] ?? null;
        if (kind !== 'money') return [name, value];
        const amount = value === null ? null : decimalOf({ amountCents: Number(value), currency });
        return [name.replace(/_cents$/, ''), amount];
      }),
    ),
    currency,
  }));
}

/** A report as a CSV file, of all its rows. @throws AppError as `report` */
export async function reportFile(ctx: Ctx, name: string, wish: Wish): Promise<Content> {
  const known = knownReport(name);
  const reported = await report(ctx, name, { ...wish, compare: undefined, limit: ALL_ROWS });
  const { from, to } = reported;
  const filter = { from, to, group: wish.group, channel: wish.channel };
  return csvFile(
    ctx,
    { what: `report-${name}-${from}-${to}`, filter },
    fileColumns(known),
    once(fileRows(known, reported)),
  );
}

async function* once(rows: readonly object[]): AsyncGenerator<readonly object[]> {
  yield rows;
}
