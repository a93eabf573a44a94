import type { Ctx } from '#kernel/context.ts';
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
import { countMonths, type DayRange, partsOf } from './ranges.ts';
import { keyRows, listedRows, type Pieces, periodRows, type Row, topKeys, totalRow } from './sums/queries.ts';

/** Which rows of a measure. */
export interface Asked extends DayRange {
  readonly currency: string;
  /** The way in which orders came; only of sales. */
  readonly source?: string | undefined;
}

/** A row of a measure, its figures by their names. */
export type Sums<M extends MeasureName> = KeysOf<M> & SumsOf<M>;

/** From so many months on all of them are read in the order of the keys, of which none has to be sorted. */
const LONG = 6;
/** Nothing lies between these. */
const NONE = { from: '9', to: '0' };

/** Whole months are read as such, so that years are few rows. */
function piecesOf({ currency, from, to }: Asked): Pieces {
  const { before, months, after } = partsOf({ from, to });
  return {
    currency,
    monthsFrom: (months ?? NONE).from,
    monthsTo: (months ?? NONE).to,
    beforeFrom: (before ?? NONE).from,
    beforeTo: (before ?? NONE).to,
    afterFrom: (after ?? NONE).from,
    afterTo: (after ?? NONE).to,
  };
}

function read<M extends MeasureName>(measure: M, row: Row): Sums<M> {
  const { keys, sums } = MEASURES[measure];
  return Object.fromEntries([
    ...keys.map((name) => [name, String(row[columnName(name)] ?? '')]),
    ...sums.map((name) => [name, Number(row[columnName(name)] ?? 0)]),
  ]) as Sums<M>;
}

/** Figures of each key, in no order. */
export async function sumsByKey<M extends MeasureName>(
  { db }: Ctx,
  measure: M,
  asked: Asked,
): Promise<Sums<M>[]> {
  const rows = await keyRows(measure).all(db, piecesOf(asked));
  return rows.map((row) => read(measure, row));
}

/** Most first, and those that are equal in a fixed order. */
export interface Most<M extends MeasureName> {
  readonly by: keyof SumsOf<M> & string;
  readonly limit: number;
}

/**
 * Figures of the keys with the most of one of them, in no order, and of some other keys.
 *
 * @param others values of the first key
 */
export async function sumsOfTop<M extends MeasureName>(
  { db }: Ctx,
  measure: M,
  asked: Asked,
  { by, limit }: Most<M>,
  others: readonly string[],
): Promise<Sums<M>[]> {
  const pieces = piecesOf(asked);
  const { months } = partsOf(asked);
  const isLong = months !== null && countMonths(months) >= LONG;
  const first = columnName(MEASURES[measure].keys[0] ?? '');
  const top = await topKeys(measure, by, isLong).all(db, { ...pieces, most: limit });
  const listed = JSON.stringify([...new Set([...top.map((row) => String(row[first])), ...others])]);
  const rows = await listedRows(measure).all(db, { ...pieces, listed });
  return rows.map((row) => read(measure, row));
}

/** Figures of all keys together. */
export async function sumsOf<M extends MeasureName>(
  { db }: Ctx,
  measure: M,
  asked: Asked,
): Promise<SumsOf<M>> {
  const { source } = asked;
  const row = await totalRow(measure, source !== undefined).first(db, { ...piecesOf(asked), source });
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
  const range = { from: from.slice(0, length), to: to.slice(0, length) };
  const rows = await periodRows(measure, grain, source !== undefined).all(db, { ...range, currency, source });
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
