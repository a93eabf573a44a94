import { visibleColored, visibleLines, withoutCommands } from '#kernel/visible-text.ts';
import { jsonLine } from '../printed-text.ts';
import { usageError } from './errors.ts';
import { type Io, type OutputMode, type Paint, painter } from './io.ts';
import { type Column, type Row, renderCsv, renderPlain, selectFields, toColumns } from './rows.ts';

/** One page of a list (cli.md section 2). */
export interface Page<T> {
  readonly items: readonly T[];
  readonly pagination: { page: number; limit: number; total: number; totalPages: number };
}

/** Writes the answer to stdout, in the form that the flags ask for. Call one of its functions once per run. */
export interface Output {
  readonly mode: OutputMode;
  readonly paint: Paint;
  /**
   * One object. `human` returns its text; without it every field is one line. --plain and --csv write one record.
   */
  value(value: object, human?: Human): Promise<void>;
  /**
   * A list: JSON as it is given, else a table of its items. `columns` orders and titles the table.
   *
   * @param empty what a person reads on stderr where there is nothing at all, in place of the words of every list; null
   *   for nothing
   */
  page<T extends object>(page: Page<T>, columns: readonly Column<T>[], empty?: string | null): Promise<void>;
  /** A list that is no page; JSON is `document`. */
  rows<T extends object>(document: object, items: readonly T[], columns: readonly Column<T>[]): Promise<void>;
  /** One object of a stream: one JSON line, else one line of text. */
  record(value: object, human?: (paint: Paint) => string): void;
  /** Bytes or text that are the answer themselves; together with --json a usage error. */
  raw(bytes: string | Uint8Array): void;
}

/** Writes the text of one thing. @param width of the terminal; undefined where there is none */
export type Human = (paint: Paint, width?: number) => string;

export interface OutputSettings {
  readonly mode: OutputMode;
  readonly fields: readonly string[] | undefined;
  readonly noColor: boolean;
  readonly quiet: boolean;
  /** Tells a person that a list is empty; `text` in place of the words of every list. */
  readonly noteEmpty: (text?: string) => Promise<void>;
  /** A line for the person, on stderr; silent with --quiet. */
  readonly note: (text: string) => void;
  /** Makes the commands in a text work where they are printed. */
  readonly placed: (text: string) => string;
}

/** Makes the output of one run. `now` (epoch milliseconds) is what relative times count from. */
export function createOutput(io: Io, settings: OutputSettings, now: () => number): Output {
  const { mode, fields } = settings;
  const paint = painter(io.stdout, io, settings.noColor);
  const write = (text: string): void => {
    io.stdout.write(text);
  };
  const line = (document: object): void => write(jsonLine(document));
  // The last wall: a command that forgot a value shows it as it would be shown anywhere else.
  const show = (text: string): void => write(shownText(text, paint('bold', '.') !== '.'));
  const pick = (value: object): object => (fields === undefined ? value : selectFields(value as Row, fields));
  const list = createLister(io, settings, paint, now);
  return {
    mode,
    paint,
    async value(value, human) {
      if (mode === 'json') return line(pick(value));
      if (mode === 'human' && human !== undefined && fields === undefined)
        return show(`${settings.placed(human(paint, columnsOf(io)))}\n`);
      const keys = fields ?? Object.keys(value);
      if (mode === 'human') return show(renderFields(value as Row, keys, paint));
      return list(
        [value],
        keys.map((key) => ({ key })),
      );
    },
    async page(page, columns, empty) {
      if (mode === 'json') return line({ ...page, items: page.items.map(pick) });
      // A person reads words instead of titles over nothing.
      const isNothing = mode === 'human' && page.pagination.total === 0 && empty !== null;
      if (!isNothing) await list(page.items, columns as readonly Column<never>[]);
      if (mode !== 'human') return;
      notePage(settings, page.pagination);
      if (isNothing) await settings.noteEmpty(empty);
    },
    async rows(document, items, columns) {
      if (mode === 'json') return line(pick(document));
      await list(items, columns as readonly Column<never>[]);
    },
    record(value, human) {
      if (mode === 'json' || human === undefined) line(pick(value));
      else show(`${settings.placed(human(paint))}\n`);
    },
    raw(bytes) {
      if (mode === 'json') throw usageError('--json cannot be used here: the answer is not JSON');
      io.stdout.write(typeof bytes === 'string' ? asRead(io, bytes) : bytes);
    },
  };
}

const columnsOf = ({ stdout }: Io): number | undefined => (stdout.isTTY ? stdout.columns : undefined);

type Lister = (items: readonly object[], columns: readonly Column<never>[]) => Promise<void>;

/** Writes items as --plain, --csv or a table. */
function createLister(
  io: Io,
  { mode, fields, note }: OutputSettings,
  paint: Paint,
  now: () => number,
): Lister {
  return async (items, columns) => {
    const shown = toColumns(columns as readonly Column[], fields);
    const rows = items as readonly Row[];
    if (mode === 'plain') io.stdout.write(asRead(io, renderPlain(rows, shown)));
    else if (mode === 'csv') io.stdout.write(asRead(io, withoutCommands(renderCsv(rows, shown))));
    else {
      const width = columnsOf(io);
      // Commands about one thing show no table.
      const { renderTable } = await import('./table.ts');
      const seen = fields === undefined ? shown.filter(({ asData }) => !asData) : shown;
      const { text, leftOut } = await renderTable(rows, seen, { width, paint, now: now() });
      io.stdout.write(text);
      if (leftOut.length > 0)
        note(`hidden for lack of space: ${leftOut.join(', ')}; use a wider terminal or --json to see them`);
    }
  };
}

const shownText = (text: string, isColored: boolean): string =>
  isColored ? visibleColored(text) : visibleLines(text);

/** Data is written as it is for a program, and with every hidden letter visible for who reads it at a terminal. */
export const asRead = (io: Io, text: string): string => (io.stdout.isTTY ? visibleLines(text) : text);

function notePage({ note }: OutputSettings, { page, totalPages, total }: Page<object>['pagination']): void {
  if (totalPages < 2) return;
  const next = page < totalPages ? `; --page ${page + 1} shows the next` : '';
  note(`page ${page} of ${totalPages}, ${total} in all${next}`);
}

function renderFields(value: Row, keys: readonly string[], paint: Paint): string {
  const width = Math.max(0, ...keys.map((key) => key.length));
  const shown = selectFields(value, keys);
  return keys
    .map((key) => `${paint('dim', key.padEnd(width))}  ${renderPlain([shown], [{ key }]).trimEnd()}\n`)
    .join('');
}
