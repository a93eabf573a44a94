import { RecordFault } from '#kernel/records/fault.ts';
import { type Line, splitLines } from '#kernel/records/lines.ts';
import { decodeUtf8 } from '#kernel/records/utf8.ts';
import { fail } from '#licensing/contract/errors.ts';
import { End, Header } from './native-format.ts';

/** What a native export says of itself. */
export interface NativeFile {
  header: Header;
  /** Rows by kind. */
  rows: End['rows'];
  total: number;
}

/** Reads a file from its start; called once per pass. */
export type OpenFile = () => AsyncIterable<Uint8Array>;

/**
 * Reads a native export to its end without importing anything: a file that is damaged, cut off or no export at all
 * must change nothing.
 *
 * @throws RecordFault for a file that is not whole; what `open` throws for one that does not open
 */
export async function inspectNative(open: OpenFile): Promise<NativeFile> {
  let header: Header | null = null;
  let last: Line | null = null;
  let rows = 0;
  for await (const line of splitLines(decodeUtf8(open()))) {
    header ??= readHeader(line);
    if (last !== null) rows += 1;
    last = line;
  }
  if (header === null) throw new RecordFault('the file is empty');
  const end = last === null ? null : parse(End, last.text);
  if (end === null) throw new RecordFault('the file is cut off: its last line is not the end of an export');
  const counts = Object.values(end.rows).reduce((sum, count) => sum + count, 0);
  // The header is the first line, the end the last one.
  if (counts !== rows - 1)
    throw new RecordFault(`the file is incomplete: it has ${rows - 1} rows of ${counts}`);
  return { header, rows: end.rows, total: counts };
}

function readHeader({ text, line }: Line): Header {
  const header = parse(Header, text);
  if (header !== null) return header;
  throw new RecordFault('the file is not a native export of this program (version 1)', line);
}

function parse<T>(schema: { safeParse(value: unknown): { data?: T | undefined } }, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The lines of the rows alone. */
export async function* rowLines(open: OpenFile, total: number): AsyncGenerator<Line> {
  let read = 0;
  for await (const line of splitLines(decodeUtf8(open()))) {
    if (read > 0 && read <= total) yield line;
    read += 1;
    if (read > total) return;
  }
}

/**
 * Refuses a file that names licenses but does not carry their keys: a license without its key is lost to its customer.
 *
 * @throws AppError VALIDATION_ERROR, `details.reason` KEY_MISSING
 */
export function requireKeys({ header, rows }: NativeFile): void {
  if (header.keys === 'included' || !rows.license) return;
  throw fail('VALIDATION_ERROR', `the file holds ${rows.license} licenses but not their keys`, {
    details: {
      reason: 'KEY_MISSING',
      hint: 'export it again with --include-keys, or import the rest with --skip-licenses',
    },
  });
}
