import type { CopiedRow } from './digest.ts';
import type { CopiedColumn, CopiedTable } from './tables.ts';

/** A value that SQLite stores and the target refuses. */
export interface Unstorable {
  readonly row: CopiedRow;
  readonly column: string;
  /** What it holds, in words. */
  readonly reason: string;
}

/** A row that the target cannot store. */
export class UnstorableRow extends Error {
  constructor({ name, key }: CopiedTable, { row, column, reason }: Unstorable) {
    const place = key.map((part) => String(row[part])).join(', ');
    super(`${name} ${place}: ${column} contains ${reason}`);
    this.name = 'UnstorableRow';
  }
}

/** Postgres: a number that is too large. */
const TOO_LARGE = '22003';
/** Postgres: a character that its texts cannot hold, or something in JSON that it refuses. */
const CODES = ['22021', '22P05', '22P02', TOO_LARGE];
const NUL = '\u0000';

/** The first value among rows that made the target refuse them; null when the error has another reason. */
export function unstorableIn(
  { columns }: CopiedTable,
  rows: readonly CopiedRow[],
  error: unknown,
): Unstorable | null {
  const code = String((error as { code?: unknown }).code);
  // JSON is read before it is written: one that is none never comes to the target.
  if (!(error instanceof SyntaxError) && !CODES.includes(code)) return null;
  for (const row of rows) {
    for (const column of columns) {
      const reason = reasonOf(column, row[column.name], code === TOO_LARGE);
      if (reason !== null) return { row, column: column.name, reason };
    }
  }
  return null;
}

function reasonOf({ kind }: CopiedColumn, value: unknown, isTooLarge: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (kind === 'text') return reasonIn(value, isTooLarge);
  if (kind !== 'json') return null;
  // SQLite keeps a JSON number as a number, and one that is too large as infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return LARGE_NUMBER;
  try {
    return reasonIn(JSON.parse(String(value)), isTooLarge);
  } catch {
    return 'text that is not valid JSON';
  }
}

const LARGE_NUMBER = 'a number that is too large to store';

function reasonIn(value: unknown, isTooLarge: boolean): string | null {
  if (typeof value === 'string') {
    if (value.includes(NUL)) return 'a character that Postgres cannot store (NUL)';
    return value.isWellFormed() ? null : 'a character that Postgres cannot store (half of a surrogate pair)';
  }
  if (typeof value === 'number') return isTooLarge && !Number.isFinite(value) ? LARGE_NUMBER : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const reason = reasonIn(name, isTooLarge) ?? reasonIn(inner, isTooLarge);
    if (reason !== null) return reason;
  }
  return null;
}
