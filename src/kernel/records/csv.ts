import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CsvError, Info } from 'csv-parse';
import { RecordFault } from './fault.ts';
import { peek } from './peek.ts';

/** One record of a CSV file. */
export interface CsvRecord {
  /** The line that it begins on, from 1: a quoted cell may run over several. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Cells of one record together; a quote that is never closed would otherwise swallow the file. */
const LARGEST_RECORD = 1_048_576;

/**
 * Reads CSV as RFC 4180 has it, record by record; empty lines are left out. The separator is the one of comma,
 * semicolon and tab that the first line has most of: spreadsheets choose it by the language of their user.
 *
 * @throws RecordFault where quotes do not close
 */
export async function* readCsv(texts: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const { parse } = await import('csv-parse');
  const [head, all] = await peek(texts, (head) => /\S.*\n/.test(head) || head.length > LARGEST_RECORD);
  const faults: CsvError[] = [];
  const parser = parse({
    delimiter: separatorOf(head.trimStart().split('\n', 1)[0] ?? ''),
    // Found out by itself it would be that of the first line alone.
    record_delimiter: ['\r\n', '\n'],
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LARGEST_RECORD,
    // An error would take the records with it that wait to be read.
    skip_records_with_error: true,
    on_skip: (error) => void (error && faults.push(error)),
  });
  const lines = new LineCounter();
  // A failure of the source destroys the parser, whose reader throws it.
  const fed = pipeline(Readable.from(lines.watch(all)), parser).catch(() => undefined);
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: Info; record: string[] }>) {
      yield { line: lines.startOf(info), cells: record };
    }
  } finally {
    parser.destroy();
    await fed;
  }
  if (faults[0]) throw new RecordFault(textOf(faults[0]), lines.next);
}

const textOf = ({ code }: CsvError): string =>
  code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quote is opened here or below and never closed'
    : 'the record is too long; is a quote missing?';

function separatorOf(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const count = (mark: string) => bare.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

/** Knows on which line a record begins: the parser counts bytes well, but a line feed inside quotes twice. */
class LineCounter {
  /** Line of the next record. */
  next = 1;
  readonly #feeds: number[] = [];
  #fedBytes = 0;
  #emptyLines = 0;

  /** Remembers where the line feeds stand that pass by. */
  async *watch(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
    for await (const text of texts) {
      const bytes = Buffer.from(text);
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
        this.#feeds.push(this.#fedBytes + at);
      }
      this.#fedBytes += bytes.length;
      yield bytes;
    }
  }

  /** @param info of the parser, after a record */
  startOf(info: Info): number {
    const line = this.next + info.empty_lines - this.#emptyLines;
    this.#emptyLines = info.empty_lines;
    let passed = 0;
    while (passed < this.#feeds.length && (this.#feeds[passed] as number) < info.bytes_records) passed += 1;
    this.#feeds.splice(0, passed);
    this.next += passed;
    return line;
  }
}
