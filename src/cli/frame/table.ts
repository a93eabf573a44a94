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

/** Fields that are whole or useless: somebody copies them into the next command, or pays them. */
const KEPT =
  /(^|\.)(id|key|keyMasked|keyid|email|slug|prefix|version)$|(Id|Email)$|(_c|C)ents$|(^|_)url$|Url$/;

/** What a text is cut to before its column is left out: words of fewer letters say nothing. */
const SHORTEST = 12;

/** Texts from this width on say what a row is about: the widest is the last one that is given up. */
const TELLING = 16;

/** Between two columns. */
const GAP = 2;

/** Before the further lines of a row. */
const INDENT = '  ';

/** A column with its texts, the title first. */
interface Shown {
  readonly column: Column;
  readonly texts: readonly string[];
  /** Never cut and never left out. */
  readonly isKept: boolean;
  /** Never cut. */
  readonly isWhole: boolean;
  width: number;
}

/** A table as text, and the titles of the columns that have no room in it. */
export interface Table {
  readonly text: string;
  readonly leftOut: readonly string[];
}

/**
 * A table without lines, fitted to the terminal. What is too wide loses the relative part of its times, then the end of
 * its longest texts, and then columns from the right. An id, a key, an address and an amount are never cut or left out:
 * those that do not fit beside each other go on in further lines of each row.
 */
export async function renderTable(
  rows: readonly Row[],
  columns: readonly Column[],
  { width, paint, now }: View,
): Promise<Table> {
  const long = columns.map((column) => shownColumn(column, rows, (value) => humanTime(value, now)));
  const fits = width === undefined || widthOf(long) <= width;
  const all = fits ? long : columns.map((column) => shownColumn(column, rows, shortTime));
  const shown = fits ? all : withRoom(all.filter(saysSomething), width);
  const groups = width === undefined ? [shown] : groupsOf(shown, width);
  const tables = await Promise.all(groups.map((group) => tableOf(group, paint)));
  const [first = []] = tables;
  const lines = first.flatMap((line, at) => [
    line,
    ...tables.slice(1).flatMap((table) => (table[at] ? [`${INDENT}${table[at]}`] : [])),
  ]);
  return {
    text: lines.map((line) => `${line}\n`).join(''),
    leftOut: all
      .filter((one) => saysSomething(one) && !shown.includes(one))
      .map(({ column }) => titleOf(column)),
  };
}

/** A column without any text is missed by nobody. */
const saysSomething = ({ texts }: Shown): boolean => texts.slice(1).some((text) => text !== '');

const titleOf = (column: Column): string => column.title ?? column.key;

function shownColumn(column: Column, rows: readonly Row[], time: (value: unknown) => string): Shown {
  const texts = [titleOf(column), ...rows.map((row) => cellText(row, column, time))];
  const isKept = column.whole === true || KEPT.test(column.key);
  const isWhole = isKept || column.time === true;
  return { column, texts, isKept, isWhole, width: Math.max(1, ...texts.map(({ length }) => length)) };
}

function cellText(row: Row, column: Column, time: (value: unknown) => string): string {
  const value = fieldOf(row, column.key);
  if (typeof value === 'boolean' && column.text === undefined) return yesOrNo(value);
  return oneLine(column.text?.(row) ?? (column.time ? time(value) : csvField(value)));
}

const widthOf = (shown: readonly Shown[]): number =>
  shown.reduce((sum, { width }) => sum + width + GAP, -GAP);

/** Leaves columns out until the others need no more lines than those that are kept. */
function withRoom(all: readonly Shown[], available: number): readonly Shown[] {
  const kept = linesOf(
    all.filter(({ isKept }) => isKept),
    available,
  );
  const fits = (some: readonly Shown[]): boolean =>
    linesOf(some, available).length <= Math.max(1, kept.length);
  let shown = all;
  while (!fits(shown)) {
    const next = leastTelling(shown);
    if (next === undefined) break;
    shown = shown.filter((one) => one !== next);
  }
  // What went before a wider one may fit in its place.
  for (const one of all) {
    const more = all.filter((other) => other === one || shown.includes(other));
    if (fits(more)) shown = more;
  }
  return shown;
}

/** The column that is left out next: a minor one, else the last one, and the widest text when nothing else is left. */
function leastTelling(shown: readonly Shown[]): Shown | undefined {
  const inTurn = shown.filter(({ isKept }) => !isKept).toReversed();
  const texts = inTurn.filter(({ isWhole, width }) => !isWhole && width >= TELLING);
  const widest = texts.toSorted((one, other) => other.width - one.width)[0];
  const others = inTurn.filter((one) => one !== widest);
  return others.find(({ column }) => column.minor) ?? others[0] ?? widest;
}

/** The columns of each line, in order: as many as fit while each text says something. */
function linesOf(shown: readonly Shown[], available: number): Shown[][] {
  const groups: Shown[][] = [];
  for (const one of shown) {
    const group = groups.at(-1);
    const room = groups.length > 1 ? available - INDENT.length : available;
    if (group && widthOf([...group, one].map(shortest)) <= room) group.push(one);
    // A column that is wider than a line has one for itself.
    else groups.push([one]);
  }
  return groups;
}

/** As linesOf, in the widths that use the room. */
function groupsOf(shown: readonly Shown[], available: number): Shown[][] {
  const groups = linesOf(shown, available);
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
