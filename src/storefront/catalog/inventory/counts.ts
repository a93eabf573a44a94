import type { Ctx } from '#kernel/context.ts';
import { readCsv } from '#kernel/records/csv.ts';
import { RecordFault } from '#kernel/records/fault.ts';
import { adjustAll } from './bulk.ts';
import { changeRules } from './levels.ts';
import { idsOfSkus, levelsOf } from './queries.ts';
import { type Level, MOST_UNITS } from './record.ts';

/** Rows of a file: more are sent as further files. */
export const MOST_COUNTED = 5000;

/** What somebody counted. */
export interface Counted {
  /** Of the file, from 1. */
  readonly line: number;
  readonly sku: string;
  readonly count: number;
}

/** Why a line is left out. */
export interface Fault {
  readonly line: number;
  readonly sku: string;
  readonly message: string;
}

/** What a spreadsheet would take for a formula is written with an apostrophe, which is no part of the SKU. */
const skuIn = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '');

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/**
 * Reads a file with the columns `sku` and `count`, in any order and beside others.
 *
 * @returns its rows, and why others are left out; `problem` is what is wrong with the file as a whole
 */
export async function readCounts(
  text: string,
): Promise<{ rows: Counted[]; faults: Fault[]; problem: string | null }> {
  const rows: Counted[] = [];
  const faults: Fault[] = [];
  /** By SKUs in capitals. */
  const lines = new Map<string, number>();
  let columns: { sku: number; count: number } | null = null;
  try {
    for await (const { line, cells } of readCsv(once(text.replace(/^\ufeff/, '')))) {
      if (!columns) {
        const names = cells.map((cell) => cell.trim().toLowerCase());
        columns = { sku: names.indexOf('sku'), count: names.indexOf('count') };
        if (columns.sku === -1 || columns.count === -1)
          return { rows, faults, problem: 'The first line must have the columns sku and count' };
        continue;
      }
      if (rows.length + faults.length >= MOST_COUNTED)
        return { rows: [], faults: [], problem: `A file has at most ${MOST_COUNTED} rows; split it` };
      const sku = skuIn(cells[columns.sku] ?? '');
      const written = (cells[columns.count] ?? '').trim();
      const message = faultOf(sku, written, lines);
      if (message !== null) faults.push({ line, sku, message });
      else {
        lines.set(sku.toUpperCase(), line);
        rows.push({ line, sku, count: Number(written) });
      }
    }
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    return { rows: [], faults: [], problem: `Line ${error.line ?? 1}: ${error.message}` };
  }
  return { rows, faults, problem: columns ? null : 'The file is empty' };
}

function faultOf(sku: string, written: string, before: ReadonlyMap<string, number>): string | null {
  if (sku === '') return 'The SKU is missing';
  if (!/^-?\d{1,10}$/.test(written) || Math.abs(Number(written)) > MOST_UNITS)
    return `"${written}" is not a whole number of units`;
  const line = before.get(sku.toUpperCase());
  return line === undefined ? null : `The SKU is in line ${line} already`;
}

/** What a row would change. */
export interface Planned extends Counted {
  readonly variantId: string;
  readonly before: number;
  readonly isTracked: boolean;
}

/** What counts would change, and which are refused; nothing is written. */
export async function planCounts(
  ctx: Ctx,
  rows: readonly Counted[],
): Promise<{ planned: Planned[]; faults: Fault[] }> {
  const ids = await idsOfSkus(
    ctx,
    rows.map(({ sku }) => sku),
  );
  const levels = await levelsOf(ctx, [...ids.values()]);
  const planned: Planned[] = [];
  const faults: Fault[] = [];
  for (const row of rows) {
    const level = levels.get(ids.get(row.sku.toUpperCase()) ?? '');
    const message = refusalOf(row, level);
    if (message !== null) faults.push({ line: row.line, sku: row.sku, message });
    else if (level)
      planned.push({
        ...row,
        variantId: level.variantId,
        before: level.onHand,
        isTracked: level.trackInventory,
      });
  }
  return { planned, faults };
}

function refusalOf({ count }: Counted, level: Level | undefined): string | null {
  if (!level) return 'No variant has this SKU';
  if (count >= level.onHand || level.allowBackorder || count >= level.reserved) return null;
  return level.reserved === 0
    ? 'Stock cannot fall below 0 without backorders'
    : `${level.reserved} units are reserved for orders`;
}

/**
 * Sets stock to what was counted; a refused row costs only itself.
 *
 * @param isTracking variants that were not tracked are tracked from now on
 */
export async function applyCounts(
  ctx: Ctx,
  rows: readonly Counted[],
  isTracking: boolean,
): Promise<{ updated: number; faults: Fault[] }> {
  const items = rows.map(({ sku, count }) => ({ sku, setTo: count }));
  const { updated, errors } = await adjustAll(ctx, items, { reason: 'count', note: 'From a CSV file' });
  if (isTracking)
    for (const { variantId, isTracked } of (await planCounts(ctx, rows)).planned)
      if (!isTracked) await changeRules(ctx, variantId, { trackInventory: true });
  const faults = errors.flatMap(({ index, error }) => {
    const row = rows[index];
    return row ? [{ line: row.line, sku: row.sku, message: error.message }] : [];
  });
  return { updated, faults };
}
