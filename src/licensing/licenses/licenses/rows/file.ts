import { refuseForm } from '#kernel/http/page.ts';
import { RecordFault } from '#kernel/records/fault.ts';
import { openTable } from '#kernel/records/table.ts';
import { checkColumns, fieldOf, rowFields } from './row.ts';

/** Rows of one file; somebody waits for their check. */
export const MOST_ROWS = 5000;

/** A row of a file by the names of its columns, or why it cannot be read. */
export interface FileRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
  readonly fault: string | null;
}

/** A file with what each of its columns stands for. */
export interface MintFile {
  /** Those with a name, in the order of the file. */
  readonly columns: readonly string[];
  /** By column: a field, `metadata`, or empty for one that is left out. */
  readonly mapping: ReadonlyMap<string, string>;
  readonly rows: readonly FileRow[];
}

/** What a column may stand for beside nothing; `metadata` is an entry of its own name. */
export const targets: readonly string[] = rowFields;

/**
 * Reads a CSV file whole.
 *
 * @param chosen what somebody says that the columns stand for, in their order; guessed from their names when absent
 * @throws FormRefusal for no CSV, more than 5,000 rows, and columns that do not make licenses
 */
export async function readMintFile(text: string, chosen?: readonly string[]): Promise<MintFile> {
  const { columns, rows } = await tableOf(text);
  const mapping = new Map(columns.map((column, at) => [column, chosen?.[at] ?? guess(column)]));
  const named = columns.map((column) => targetOf(column, mapping)).filter((target) => target !== '');
  checkColumns({ columns: named }, (message, cure) =>
    refuseForm(message, { map: cure ?? 'Choose its column below' }),
  );
  return { columns, mapping, rows };
}

/** As the table of a file has it; a file that cannot be read says where. */
export async function tableOf(text: string): Promise<{ columns: string[]; rows: FileRow[] }> {
  try {
    const table = await openTable(once(text));
    if (table.columns === null)
      throw refuse('The first line must have the column names, separated by commas.');
    const rows: FileRow[] = [];
    for await (const row of table.rows) {
      if (rows.length === MOST_ROWS)
        throw refuse(`At most ${MOST_ROWS} rows can be read at once. Split the file.`);
      rows.push(
        'fault' in row
          ? { line: row.line, cells: new Map(), fault: `The line ${row.fault}` }
          : { line: row.line, cells: row.values as ReadonlyMap<string, string>, fault: null },
      );
    }
    if (rows.length === 0) throw refuse('The file has no rows below its header.');
    return { columns: table.columns.filter((column) => column !== ''), rows };
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    throw refuse(error.line === null ? error.message : `Line ${error.line}: ${error.message}`);
  }
}

const refuse = (why: string) => refuseForm('This file cannot be read', { file: why });

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** Addresses stand in columns of many names. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['emailaddress', 'customerEmail'],
  ['mail', 'customerEmail'],
  ['customer', 'customerEmail'],
  ['order', 'orderId'],
  ['machines', 'maxActivations'],
  ['seats', 'maxActivations'],
  ['expires', 'validUntil'],
]);

const guess = (column: string): string => {
  const field = fieldOf(column);
  return field ?? OTHER_NAMES.get(column.toLowerCase().replaceAll(/[\s._-]/g, '')) ?? '';
};

/** The name by which rows are read; empty for a column that is left out. */
function targetOf(column: string, mapping: MintFile['mapping']): string {
  const target = mapping.get(column) ?? '';
  if (target !== 'metadata' || fieldOf(column) === 'metadata') return target === 'metadata' ? column : target;
  return `metadata.${column}`;
}

/** The cells of a row by what they stand for. */
export const valuesOf = ({ cells }: FileRow, { mapping }: Pick<MintFile, 'mapping'>): Map<string, unknown> =>
  new Map(
    [...cells].flatMap(([column, value]): [string, unknown][] => {
      const target = targetOf(column, mapping);
      return target === '' ? [] : [[target, value]];
    }),
  );
