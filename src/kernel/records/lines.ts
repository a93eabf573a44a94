import { RecordFault } from './fault.ts';

/** One line of a text file, without its line feed. */
export interface Line {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A line is held in memory as a whole, so a file without line feeds must not be taken for one. */
const LONGEST_LINE = 4_194_304;

/**
 * Cuts a text into its lines; those that hold nothing but white space are left out.
 *
 * @throws RecordFault for a line of more than 4 Mi characters
 */
export async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<Line> {
  let line = 0;
  let rest = '';
  for await (const text of texts) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      line += 1;
      if (part.trim() !== '') yield { line, text: part };
    }
    if (rest.length > LONGEST_LINE) throw new RecordFault('the line is too long for a record', line + 1);
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest };
}
