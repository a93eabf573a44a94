import { RecordFault } from '#kernel/records/fault.ts';
import { peek } from '#kernel/records/peek.ts';
import { openTable, type TableRow } from '#kernel/records/table.ts';
import { decodeUtf8 } from '#kernel/records/utf8.ts';
import { normalName } from './columns.ts';
import { jsonRecords } from './json-api.ts';
import type { ForeignSource } from './sources.ts';

/** One record of a foreign file: its values by the normal names of their columns, with the names as they stand there. */
export type ForeignRecord =
  | { readonly row: number; readonly values: ReadonlyMap<string, { name: string; value: unknown }> }
  | { readonly row: number; readonly fault: string };

/** A JSON document is read as a whole: what it names may stand at its end. */
const LARGEST_DOCUMENT = 268_435_456;
/** What our own CSV puts before a cell that a spreadsheet would run. */
const ESCAPED_FORMULA = /^'(?=[=+\-@\t\r])/;

/**
 * Reads the records of a file: CSV, JSON Lines, or for Keygen and Lemon Squeezy a JSON document.
 *
 * @throws RecordFault for a file that cannot be read
 */
export async function* readRecords(
  source: ForeignSource,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ForeignRecord> {
  const hasJson = source === 'keygen' || source === 'lemonsqueezy';
  const [head, texts] = await peek(decodeUtf8(bytes), (head) => head.trim() !== '');
  if (hasJson && /^[{[]/.test(head.trimStart())) {
    let row = 0;
    for (const values of jsonRecords(source, await document(texts))) {
      row += 1;
      yield { row, values: named(values) };
    }
    return;
  }
  const table = await openTable(texts);
  for await (const record of table.rows) yield recordOf(record, table.values);
}

function recordOf(record: TableRow, kind: 'text' | 'json'): ForeignRecord {
  const { line: row } = record;
  if ('fault' in record) return { row, fault: `the line ${record.fault}` };
  if (kind === 'json') return { row, values: named(record.values) };
  const cells = [...record.values].map(([name, value]): [string, unknown] => {
    const text = String(value).replace(ESCAPED_FORMULA, '');
    return [name, text.trim() === '' ? null : text];
  });
  return { row, values: named(cells) };
}

const named = (values: Iterable<[string, unknown]>): Map<string, { name: string; value: unknown }> =>
  new Map([...values].map(([name, value]) => [normalName(name), { name, value }]));

async function document(texts: AsyncIterable<string>): Promise<unknown> {
  let text = '';
  for await (const part of texts) {
    text += part;
    if (text.length > LARGEST_DOCUMENT) throw new RecordFault('the JSON document is too large; export CSV');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordFault(`the file is not a JSON document: ${(error as Error).message}`);
  }
}
