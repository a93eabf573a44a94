import type { CopiedRow } from './digest.ts';
import type { CopiedTable } from './tables.ts';

/** A value that SQLite stores and Postgres refuses. */
export interface Unstorable {
  readonly row: CopiedRow;
  readonly column: string;
}

/** A row that the target cannot store. */
export class UnstorableRow extends Error {
  constructor({ name, key }: CopiedTable, { row, column }: Unstorable) {
    const place = key.map((part) => String(row[part])).join(', ');
    super(`${name} ${place}: ${column} contains a character that Postgres cannot store (NUL)`);
    this.name = 'UnstorableRow';
  }
}

/** Postgres: a character that its texts cannot hold, or an escape in JSON that means one. */
const CODES = ['22021', '22P05', '22P02'];
const NUL = '\u0000';
const ESCAPED_NUL = String.raw`\u0000`;

/** The first value among rows that made Postgres refuse them; null when the error has another reason. */
export function unstorableIn(
  { columns }: CopiedTable,
  rows: readonly CopiedRow[],
  error: unknown,
): Unstorable | null {
  if (!CODES.includes(String((error as { code?: unknown }).code))) return null;
  for (const row of rows) {
    for (const { name } of columns) {
      const value = row[name];
      if (typeof value === 'string' && (value.includes(NUL) || value.includes(ESCAPED_NUL)))
        return { row, column: name };
    }
  }
  return null;
}
