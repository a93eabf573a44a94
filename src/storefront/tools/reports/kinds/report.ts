import type { Ctx } from '#kernel/context.ts';
import type { ApiKeyScope } from '#storefront/contract/scopes.ts';
import type { Asked } from '../daily/queries.ts';
import type { DayRange, Group } from '../daily/ranges.ts';
import type { Book } from '../daily/read.ts';

/** A value of a row as the JSON answers it. */
export type Cell = string | number | null;
export type Row = Readonly<Record<string, Cell>>;

/** What a column holds: `money` in minor units, `rate` in parts per million. */
export type Kind = 'text' | 'day' | 'count' | 'money' | 'rate';

/** A column of a report: for its JSON, its table, its file and its mail. */
export interface ReportColumn {
  /** As the JSON calls it. */
  readonly name: string;
  readonly head: string;
  readonly kind: Kind;
  /** What it says, for the JSON. */
  readonly about?: string;
  /** Ids are in the JSON and the file only. */
  readonly isId?: true;
  readonly isNullable?: true;
  /** What the row is about, and where to look at it. */
  link?(row: Row, zoom: Zoom): string | null;
}

/** The address of the same report about other days. */
export type Zoom = (range: DayRange) => string;

/** What a report is asked for. */
export interface ReportAsked extends Asked {
  readonly group: Group;
  /** Rows at most, of those reports that list the most of something. */
  readonly limit: number;
  /** Of the shop. */
  readonly zone: string;
}

/** The rows of a report, and what they come to together. */
export interface Answer {
  readonly rows: readonly Row[];
  readonly totals: Row;
  /** What a chart draws where it is not the rows. */
  readonly series?: readonly Row[];
}

/** What is shown of other days: what they come to, and the line that is drawn beside. */
export type Against = Pick<Answer, 'totals' | 'series'>;

/** How the rows of a report are drawn. */
export interface Drawn {
  readonly title: string;
  /** A line over periods, or a bar for each row. */
  readonly as: 'line' | 'bars';
  readonly label: string;
  /** Columns by their words; those of one bar are added up. */
  readonly parts: Readonly<Record<string, string>>;
}

/** A report of the shop, declared once. */
export interface Report {
  readonly title: string;
  readonly about: string;
  /** What the JSON says beside that. */
  readonly more?: string;
  /** What an API key needs; staff need `reports:read`. */
  readonly keyScope: ApiKeyScope;
  /** `range`: days are asked for; `moment`: one day, up to which it is true. */
  readonly of: 'range' | 'moment';
  /** The JSON is answered only with `from` and `to`. */
  readonly needsRange?: true;
  readonly hasGroup?: true;
  readonly hasChannel?: true;
  readonly hasLimit?: true;
  readonly columns: readonly ReportColumn[];
  readonly drawn: Drawn;
  /** What is said where it has no row. */
  readonly empty: string;
  run(ctx: Ctx, book: Book, asked: ReportAsked): Promise<Answer>;
  /** Of other days, to compare with; of `moment` there are none. */
  compared?(ctx: Ctx, book: Book, asked: ReportAsked): Promise<Against>;
}

export const money = (name: string, head: string, about?: string): ReportColumn => ({
  name,
  head,
  kind: 'money',
  ...(about !== undefined && { about }),
});
export const counted = (name: string, head: string, about?: string): ReportColumn => ({
  name,
  head,
  kind: 'count',
  ...(about !== undefined && { about }),
});
export const idOf = (name: string): ReportColumn => ({
  name,
  head: name,
  kind: 'text',
  isId: true,
  isNullable: true,
});

/** What the columns of some rows that are added up come to. */
export const totalsOf = (columns: readonly ReportColumn[], rows: readonly Row[]): Row =>
  Object.fromEntries(
    columns
      .filter(({ kind }) => kind === 'count' || kind === 'money')
      .map(({ name }) => [name, rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0)]),
  );

/** The page of something by its id. */
export const pageOf =
  (path: string, name: string) =>
  (row: Row): string | null =>
    typeof row[name] === 'string' && row[name] !== ''
      ? `/store/${path}/${encodeURIComponent(row[name])}`
      : null;
