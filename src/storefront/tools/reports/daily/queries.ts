import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { columnName } from '#kernel/db/record.ts';
import {
  type Fact,
  type KeysOf,
  MEASURE_NAMES,
  MEASURES,
  type MeasureName,
  type SumsOf,
  summed,
} from '../measures.ts';
import { dailyRecords } from '../record.ts';
import { nextCounted } from '../repository.ts';
import type { DayRange } from './ranges.ts';
import { partsOf } from './ranges.ts';

/** Which rows of a measure. */
export interface Asked extends DayRange {
  readonly currency: string;
  /** The way in which orders came; only of sales. */
  readonly source?: string | undefined;
}

/** A row of a measure, its figures by their names. */
export type Sums<M extends MeasureName> = KeysOf<M> & SumsOf<M>;

type Row = Record<string, unknown>;

const sumsIn = ({ knex }: Ctx['db'], measure: MeasureName) =>
  MEASURES[measure].sums.map((name) =>
    knex.raw('COALESCE(SUM(??), 0) AS ??', [columnName(name), columnName(name)]),
  );

/** Whole months are read as such, so that years are few rows. */
function rowsIn({ db: { knex } }: Ctx, measure: MeasureName, { currency, source, ...range }: Asked) {
  const { days, months } = partsOf(range);
  const rows = knex(dailyRecords[measure].table)
    .where({ currency, ...(source !== undefined && { source }) })
    .where((any) => {
      for (const { from, to } of days) any.orWhere(within('day', from, to));
      if (months) any.orWhere(within('month', months.from, months.to));
    });
  return rows;
}

const within = (grain: string, from: string, to: string) => (all: Knex.QueryBuilder) =>
  void all.where({ grain }).whereBetween('period', [from, to]);

function read<M extends MeasureName>(measure: M, row: Row): Sums<M> {
  const { keys, sums } = MEASURES[measure];
  return Object.fromEntries([
    ...keys.map((name) => [name, String(row[columnName(name)] ?? '')]),
    ...sums.map((name) => [name, Number(row[columnName(name)] ?? 0)]),
  ]) as Sums<M>;
}

/** Most first, and those that are equal in a fixed order. */
export interface Most<M extends MeasureName> {
  readonly by: keyof SumsOf<M> & string;
  readonly limit: number;
}

/** Figures of each key. @param most all of them when absent */
export async function sumsByKey<M extends MeasureName>(
  ctx: Ctx,
  measure: M,
  asked: Asked,
  most?: Most<M>,
): Promise<Sums<M>[]> {
  const keys = MEASURES[measure].keys.map(columnName);
  const query = rowsIn(ctx, measure, asked)
    .groupBy(keys)
    .select(...keys, ...sumsIn(ctx.db, measure));
  if (most)
    query
      .orderByRaw('SUM(??) DESC', [columnName(most.by)])
      .orderBy(keys)
      .limit(most.limit);
  const rows: Row[] = await query;
  return rows.map((row) => read(measure, row));
}

/** Figures of some keys. */
export async function sumsOfKeys<M extends MeasureName>(
  ctx: Ctx,
  measure: M,
  asked: Asked,
  keys: readonly (readonly string[])[],
): Promise<Sums<M>[]> {
  if (keys.length === 0) return [];
  const names = MEASURES[measure].keys.map(columnName);
  const rows: Row[] = await rowsIn(ctx, measure, asked)
    .whereIn(
      names,
      keys.map((one) => [...one]),
    )
    .groupBy(names)
    .select(...names, ...sumsIn(ctx.db, measure));
  return rows.map((row) => read(measure, row));
}

/** Figures of all keys together. */
export async function sumsOf<M extends MeasureName>(ctx: Ctx, measure: M, asked: Asked): Promise<SumsOf<M>> {
  const row: Row | undefined = await rowsIn(ctx, measure, asked)
    .select(...sumsIn(ctx.db, measure))
    .first();
  return read(measure, row ?? {});
}

/** Figures of all keys together, for each day or month of which there are any. */
export async function sumsByPeriod<M extends MeasureName>(
  { db }: Ctx,
  measure: M,
  grain: 'day' | 'month',
  { from, to, currency, source }: Asked,
): Promise<(SumsOf<M> & { readonly period: string })[]> {
  const length = grain === 'day' ? 10 : 7;
  const rows: Row[] = await db
    .knex(dailyRecords[measure].table)
    .where({ grain, currency, ...(source !== undefined && { source }) })
    .whereBetween('period', [from.slice(0, length), to.slice(0, length)])
    .groupBy('period')
    .select('period', ...sumsIn(db, measure));
  return rows.map((row) => ({ ...read(measure, row), period: String(row.period) }));
}

/** For `appctl doctor`: what the tables hold of each day, and what was counted of the orders. Reads all of both. */
export async function dayFacts(ctx: Ctx, round: number): Promise<[stored: Fact[], counted: Fact[]]> {
  const { knex } = ctx.db;
  const stored: Fact[] = [];
  for (const measure of MEASURE_NAMES) {
    const rows: Row[] = await knex(dailyRecords[measure].table).where({ grain: 'day' });
    for (const row of rows) {
      const { keys, sums } = MEASURES[measure];
      stored.push([
        measure,
        String(row.period),
        String(row.currency),
        keys.map((name) => String(row[columnName(name)])),
        sums.map((name) => Number(row[columnName(name)])),
      ]);
    }
  }
  let counted: Fact[] = [];
  for (let after = ''; ; ) {
    const rows = await nextCounted(ctx, after, 2000);
    counted = summed([...counted, ...rows.flatMap((one) => (one.round === round ? one.facts : []))]);
    after = rows.at(-1)?.orderId ?? after;
    if (rows.length < 2000) return [stored, counted];
  }
}
