import { figureText } from '#kernel/figure-words.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { reportOf } from '../kinds/kinds.ts';
import type { Cell, Report, ReportColumn, Row, Zoom } from '../kinds/report.ts';
import type { Reported } from '../reports.ts';

/** Rows of a page; all of them are in the file. */
const MOST_ROWS = 400;

const isNumber = ({ kind }: ReportColumn): boolean => kind !== 'text' && kind !== 'day';

/** A value as people read it. */
export function cellText(
  { kind }: Pick<ReportColumn, 'kind'>,
  value: Cell | undefined,
  currency: string,
): string {
  if (value === null || value === undefined || value === '') return '–';
  if (kind === 'money') return moneyWords({ amountCents: Number(value), currency }, 'en');
  if (kind === 'rate') return `${Number(value) / 10_000} %`;
  return kind === 'count' ? figureText(Number(value)) : String(value);
}

/** `+12 %`; words where there was nothing before. */
export function changeWords(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'no change' : 'none before';
  const percent = Math.round(((now - before) / Math.abs(before)) * 100);
  return `${percent > 0 ? '+' : ''}${figureText(percent)} %`;
}

/** The rows of a report as its page shows them, with what they come to and what that was before. */
export function tableOf(reported: Reported, zoom: Zoom) {
  const { columns } = reportOf(reported.name) as Report;
  const { rows, totals, compared, currency, group } = reported;
  const shown = columns.filter(({ isId }) => !isId);
  const line = (head: string, figures: Row) =>
    shown.map((column, at) => ({
      text: at === 0 ? head : column.name in figures ? cellText(column, figures[column.name], currency) : '',
      isNumber: isNumber(column),
    }));
  const changes: Row = Object.fromEntries(
    Object.entries(compared?.totals ?? {}).map(([name, before]) => [
      name,
      changeWords(Number(totals[name] ?? 0), Number(before ?? 0)),
    ]),
  );
  return {
    heads: shown.map((column) => ({ text: column.head, isNumber: isNumber(column) })),
    rows: rows.slice(0, MOST_ROWS).map((row) =>
      shown.map((column) => ({
        text: cellText(column, row[column.name], currency),
        href: column.link?.({ ...row, group }, zoom) ?? null,
        isNumber: isNumber(column),
      })),
    ),
    totals: line('Total', totals),
    compared:
      compared === null
        ? []
        : [
            line(`${compared.from} to ${compared.to}`, compared.totals),
            shown.map((column, at) => ({
              text: at === 0 ? 'Change' : String(changes[column.name] ?? ''),
              isNumber: isNumber(column),
            })),
          ],
    total: rows.length,
  };
}
