import { type CsvRecord, readCsv } from './csv.ts';
import { RecordFault } from './fault.ts';
import { splitLines } from './lines.ts';
import { peek } from './peek.ts';

/** One record of a table: its values by column, or why it has none. */
export type TableRow =
  | { readonly line: number; readonly values: ReadonlyMap<string, unknown> }
  | { readonly line: number; readonly fault: string };

/** A file of records: CSV with a header, or one JSON object per line. */
export interface Table {
  /** `text`: every value is a text, and an empty one means that there is none. `json`: values have their JSON type. */
  readonly values: 'text' | 'json';
  /** Columns in the order of the file; null for JSON, where every record has its own. */
  readonly columns: readonly string[] | null;
  readonly rows: AsyncIterable<TableRow>;
}

/**
 * Opens a table and tells CSV from JSON Lines by its first character.
 *
 * @param texts as `decodeUtf8` gives them
 * @throws RecordFault for an empty file, a header that names a column twice, and one of more than 500 columns
 */
export async function openTable(texts: AsyncIterable<string>): Promise<Table> {
  const [head, all] = await peek(texts, (head) => head.trim() !== '');
  if (head.trim() === '') throw new RecordFault('the file is empty');
  return head.trimStart().startsWith('{')
    ? { values: 'json', columns: null, rows: jsonRows(all) }
    : csvTable(all);
}

/** No list that somebody keeps has more (M26). */
const MOST_COLUMNS = 500;

async function csvTable(texts: AsyncIterable<string>): Promise<Table> {
  const records = readCsv(texts);
  const first = await records.next();
  if (first.done) throw new RecordFault('the file is empty');
  const columns = first.value.cells.map((cell) => cell.trim());
  if (columns.length > MOST_COLUMNS)
    throw new RecordFault(
      `the file has ${columns.length} columns; ${MOST_COLUMNS} are allowed`,
      first.value.line,
    );
  // Spreadsheets leave columns without a name behind; they are left out.
  const repeated = columns.find((column, index) => column !== '' && columns.indexOf(column) !== index);
  if (repeated !== undefined)
    throw new RecordFault(`the file has the column ${repeated} twice`, first.value.line);
  return { values: 'text', columns, rows: csvRows(columns, records) };
}

async function* csvRows(
  columns: readonly string[],
  records: AsyncIterable<CsvRecord>,
): AsyncGenerator<TableRow> {
  for await (const { line, cells } of records) {
    if (cells.length === columns.length) {
      const named = columns.map((column, index): [string, string] => [column, cells[index] ?? '']);
      yield { line, values: new Map(named.filter(([column]) => column !== '')) };
    } else {
      yield { line, fault: `has ${cells.length} cells, the header has ${columns.length}` };
    }
  }
}

async function* jsonRows(texts: AsyncIterable<string>): AsyncGenerator<TableRow> {
  for await (const { line, text } of splitLines(texts)) {
    const value = parsed(text);
    if (value === undefined) yield { line, fault: 'is not a JSON object' };
    else yield { line, values: new Map(Object.entries(value)) };
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
