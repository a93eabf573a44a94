import type { Knex } from '#kernel/db/database.ts';
import { unindexed, whereListed } from '#kernel/db/dialect.ts';
import { columnName } from '#kernel/db/record.ts';
import { type Statement, statement } from '#kernel/db/statement.ts';
import { MEASURES, type MeasureName } from '../../measures.ts';
import { dailyRecords } from '../../record.ts';

/** Rows of a range: the whole months in it, and the days before and after them; of what there is none nothing is found. */
export interface Pieces {
  readonly currency: string;
  readonly monthsFrom: string;
  readonly monthsTo: string;
  readonly beforeFrom: string;
  readonly beforeTo: string;
  readonly afterFrom: string;
  readonly afterTo: string;
}
export type Row = Record<string, unknown>;

type Sourced = Pieces & { readonly source?: string | undefined };
type Narrow = (rows: Knex.QueryBuilder) => Knex.QueryBuilder;
/** Names the places of values. */
type Mark<Name extends string> = (name: Name) => string;
type Marks = Mark<keyof Pieces>;

/** Built once for each of its arguments. */
function once<A extends readonly (string | boolean)[], T>(build: (...args: A) => T): (...args: A) => T {
  const built = new Map<string, T>();
  return (...args) => {
    const key = args.join(' ');
    const known = built.get(key) ?? build(...args);
    built.set(key, known);
    return known;
  };
}

const keysOf = (measure: MeasureName): string[] => MEASURES[measure].keys.map(columnName);
const sumsIn = (q: Knex, measure: MeasureName) =>
  MEASURES[measure].sums.map((name) =>
    q.raw('COALESCE(SUM(??), 0) AS ??', [columnName(name), columnName(name)]),
  );

const ofGrain = (
  q: Knex,
  p: Mark<'currency'>,
  measure: MeasureName,
  grain: 'day' | 'month',
): Knex.QueryBuilder => q(dailyRecords[measure].table).where('grain', grain).where('currency', p('currency'));

/** Days before and after the whole months; each piece is a range of the table's key. */
const daysIn = (q: Knex, p: Marks, measure: MeasureName, narrow: Narrow) =>
  (['before', 'after'] as const).map((side) =>
    narrow(ofGrain(q, p, measure, 'day').whereBetween('period', [p(`${side}From`), p(`${side}To`)] as never)),
  );

function rowsIn(q: Knex, p: Marks, measure: MeasureName, narrow: Narrow): Knex.QueryBuilder {
  const months = ofGrain(q, p, measure, 'month').whereBetween('period', [
    p('monthsFrom'),
    p('monthsTo'),
  ] as never);
  return q.from(
    narrow(months)
      .unionAll(daysIn(q, p, measure, narrow))
      .as('found'),
  );
}

const bySource =
  (p: Mark<'source'>, hasSource: boolean): Narrow =>
  (rows) =>
    hasSource ? rows.where('source', p('source')) : rows;

const columnsOf = (measure: MeasureName): string[] => [
  ...keysOf(measure),
  ...MEASURES[measure].sums.map(columnName),
];

/** Figures of all keys together. */
export const totalRow: (measure: MeasureName, hasSource: boolean) => Statement<Sourced, Row> = once(
  (measure, hasSource) =>
    statement<Sourced, Row>((q, p) =>
      rowsIn(q, p, measure, (rows) => bySource(p, hasSource)(rows).select(columnsOf(measure))).select(
        ...sumsIn(q, measure),
      ),
    ),
);

/** Figures of each key, in no order. */
export const keyRows: (measure: MeasureName) => Statement<Pieces, Row> = once((measure) =>
  statement<Pieces, Row>((q, p) =>
    rowsIn(q, p, measure, (rows) => rows.select(columnsOf(measure)))
      .groupBy(keysOf(measure))
      .select(...keysOf(measure), ...sumsIn(q, measure)),
  ),
);

/** Figures of some keys. `listed`: the values of the first key, as JSON. */
export const listedRows: (measure: MeasureName) => Statement<Pieces & { listed: string }, Row> = once(
  (measure) =>
    statement<Pieces & { listed: string }, Row>((q, p) => {
      const [first = ''] = keysOf(measure);
      const narrow: Narrow = (rows) => {
        whereListed(rows, first, p('listed'));
        return rows.select(columnsOf(measure));
      };
      return rowsIn(q, p, measure, narrow)
        .groupBy(keysOf(measure))
        .select(...keysOf(measure), ...sumsIn(q, measure));
    }),
);

/**
 * The keys with the most of a figure. Only that figure is added up, since sorting it takes longest.
 *
 * @param isLong months are read in the order of the keys, from the index of that order: all months that there are are
 *   sooner read than many of them sorted
 */
export const topKeys: (
  measure: MeasureName,
  by: string,
  isLong: boolean,
) => Statement<Pieces & { most: number }, Row> = once((measure, by, isLong) =>
  statement<Pieces & { most: number }, Row>((q, p) => {
    const keys = keysOf(measure);
    const period = isLong ? unindexed(q, 'period') : q.raw('??', ['period']);
    const months = ofGrain(q, p, measure, 'month')
      .whereRaw('? BETWEEN ? AND ?', [period, p('monthsFrom'), p('monthsTo')])
      .groupBy(keys)
      .select(...keys, q.raw('SUM(??) AS figure', [columnName(by)]));
    const [before, after] = daysIn(q, p, measure, (rows) =>
      rows.select(...keys, q.raw('?? AS figure', [columnName(by)])),
    );
    // The months come last: knex writes the groups of the first part behind all others.
    return q
      .from((before as Knex.QueryBuilder).unionAll([after as Knex.QueryBuilder, months]).as('found'))
      .groupBy(keys)
      .orderByRaw('SUM(figure) DESC')
      .orderBy(keys.slice(0, -1))
      .orderByRaw('?? LIMIT ?', [keys.at(-1) ?? '', p('most')])
      .select(keys);
  }),
);

/** Figures of all keys together, for each day or month of which there are any. */
export const periodRows: (
  measure: MeasureName,
  grain: 'day' | 'month',
  hasSource: boolean,
) => Statement<Readonly<Record<'from' | 'to' | 'currency', string>> & { source?: string | undefined }, Row> =
  once((measure, grain, hasSource) =>
    statement((q, p) =>
      bySource(
        p,
        hasSource,
      )(ofGrain(q, p, measure, grain).whereBetween('period', [p('from'), p('to')] as never))
        .groupBy('period')
        .select('period', ...sumsIn(q, measure)),
    ),
  );
