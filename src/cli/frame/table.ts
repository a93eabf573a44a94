import { csvField } from '#kernel/records/csv-write.ts';
import { oneLine } from '../printed-text.ts';
import type { Paint } from './io.ts';
import { type Column, fieldOf, type Row, yesOrNo } from './rows.ts';
import { humanTime, shortTime } from './times.ts';

/** Where a table is shown. */
export interface View {
  /** Columns of the terminal; undefined where nothing is to be fitted. */
  readonly width: number | undefined;
  readonly paint: Paint;
  /** Epoch milliseconds that relative times count from. */
  readonly now: number;
}

/** Fields that are whole or useless: somebody copies them into the next command. */
const IDENTIFIERS = /(^|\.)(id|key|keyMasked|keyid|email|slug|prefix|version)$|(Id|Email)$/;

/** What a text is cut to before its column moves to a further line: words of fewer letters say nothing. */
const SHORTEST = 12;

/** Between two columns. */
const GAP = 2;

/** Before the further lines of a row. */
const INDENT = '  ';

/** A column with its texts, the title first. */
interface Shown {
  readonly column: Column;
  readonly texts: readonly string[];
  readonly isWhole: boolean;
  width: number;
}

/**
 * A table without lines, fitted to the terminal. What is too wide loses the relative part of its times, then the end of
 * its longest texts, and then goes on in further lines of each row: an id, an address and a time are never cut.
 *
 * @returns lines, each with its end
 */
export async function renderTable(
  rows: readonly Row[],
  columns: readonly Column[],
  { width, paint, now }: View,
): Promise<string> {
  const long = columns.map((column) => shownColumn(column, rows, (value) => humanTime(value, now)));
  const fits = width === undefined || widthOf(long) <= width;
  const shown = fits ? long : columns.map((column) => shownColumn(column, rows, shortTime));
  const groups = width === undefined ? [shown] : groupsOf(shown, width);
  const tables = await Promise.all(groups.map((group) => tableOf(group, paint)));
  const [first = []] = tables;
  const lines = first.flatMap((line, at) => [
    line,
    ...tables.slice(1).flatMap((table) => (table[at] ? [`${INDENT}${table[at]}`] : [])),
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

function shownColumn(column: Column, rows: readonly Row[], time: (value: unknown) => string): Shown {
  const texts = [column.title ?? column.key, ...rows.map((row) => cellText(row, column, time))];
  const isWhole = column.whole === true || column.time === true || IDENTIFIERS.test(column.key);
  return { column, texts, isWhole, width: Math.max(1, ...texts.map(({ length }) => length)) };
}

function cellText(row: Row, column: Column, time: (value: unknown) => string): string {
  const value = fieldOf(row, column.key);
  if (typeof value === 'boolean' && column.text === undefined) return yesOrNo(value);
  return oneLine(column.text?.(row) ?? (column.time ? time(value) : csvField(value)));
}

const widthOf = (shown: readonly Shown[]): number =>
  shown.reduce((sum, { width }) => sum + width + GAP, -GAP);

/**
 * The columns of each line, in their widths: as many as fit while each text says something, with the rest of the room.
 * A column that is wider than a line has one for itself.
 */
function groupsOf(shown: readonly Shown[], available: number): Shown[][] {
  const groups: Shown[][] = [];
  const room = () => (groups.length > 1 ? available - INDENT.length : available);
  for (const one of shown) {
    const group = groups.at(-1);
    if (group && widthOf([...group, one].map(shortest)) <= room()) group.push(one);
    else groups.push([one]);
  }
  for (const group of groups) narrow(group, group === groups[0] ? available : available - INDENT.length);
  return groups;
}

const shortest = (one: Shown): Shown =>
  one.isWhole ? one : { ...one, width: Math.min(one.width, SHORTEST) };

/** Makes the widest texts narrower until the line fits, as long as they still say something. */
function narrow(shown: readonly Shown[], available: number): void {
  const cuttable = shown.filter(({ isWhole }) => !isWhole);
  for (let excess = widthOf(shown) - available; excess > 0; excess -= 1) {
    const widest = cuttable.reduce<Shown | null>(
      (most, one) => (one.width > (most?.width ?? SHORTEST) ? one : most),
      null,
    );
    if (widest === null) return;
    widest.width -= 1;
  }
}

const EDGES = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
];
const LINES = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'];
const NOTHING = Object.fromEntries([...EDGES, ...LINES].map((name) => [name, '']));

/** A line for the titles and one for each row, without the blanks at their ends. */
async function tableOf(group: readonly Shown[], paint: Paint): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const [titles = [], ...cells] =
    group[0]?.texts.map((_, at) => group.map(({ texts }) => texts[at] ?? '')) ?? [];
  const table = new Table({
    head: titles.map((title) => paint('bold', title.toUpperCase())),
    colWidths: group.map(({ width }) => width + GAP),
    colAligns: group.map(({ column }) => column.align ?? 'left'),
    chars: NOTHING,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP, compact: true },
  });
  table.push(...cells);
  return table
    .toString()
    .split('\n')
    .map((line) => line.replace(/[ \t]+$/, ''));
}
