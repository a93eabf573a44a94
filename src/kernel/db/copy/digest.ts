import { hash } from 'node:crypto';
import type { CopiedColumn, CopiedTable } from './tables.ts';

/** A row as a driver gives it. */
export type CopiedRow = Readonly<Record<string, unknown>>;

/** What a table holds: equal on both databases exactly when the rows are. */
export interface Content {
  readonly rows: number;
  /** Hexadecimal. */
  readonly digest: string;
}

const WORDS = 4;

/**
 * Adds up the contents of rows, in whatever order they come: the databases sort texts differently. Each row is written
 * down in one way and hashed by SHA-256, and the hashes are added; no two rows of a table are equal, because of its key.
 */
export class ContentSum {
  readonly #columns: readonly CopiedColumn[];
  readonly #sum = new BigUint64Array(WORDS);
  #rows = 0;

  constructor({ columns }: Pick<CopiedTable, 'columns'>) {
    this.#columns = columns;
  }

  add(row: CopiedRow): void {
    const digest = hash('sha256', canonicalRow(this.#columns, row), 'buffer');
    for (let word = 0; word < WORDS; word++)
      this.#sum[word] = (this.#sum[word] as bigint) + digest.readBigUInt64BE(word * 8);
    this.#rows += 1;
  }

  content(): Content {
    const words = [...this.#sum].map((word) => word.toString(16).padStart(16, '0'));
    return { rows: this.#rows, digest: words.join('') };
  }
}

export const isSame = (one: Content, other: Content): boolean =>
  one.rows === other.rows && one.digest === other.digest;

/** A row as a text that both databases lead to: with lengths, so that no value runs over into the next. */
export function canonicalRow(columns: readonly CopiedColumn[], row: CopiedRow): string {
  let text = '';
  for (const { name, kind } of columns) {
    const value = row[name];
    if (value === null || value === undefined) text += '-;';
    else if (kind === 'text') text += `${(value as string).length}:${value};`;
    else if (kind === 'json') text += `${canonicalJson(String(value))};`;
    else if (kind === 'flag') text += value === true || value === 1 ? 'T;' : 'F;';
    else text += `${value};`;
  }
  return text;
}

/** JSON with sorted keys: Postgres stores those of an object in an order of its own. */
const canonicalJson = (text: string): string => JSON.stringify(sorted(JSON.parse(text)));

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}
