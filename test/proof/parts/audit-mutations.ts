// What somebody who owns the database, but not the master key, can do to the audit log by SQL.
import type { Random } from './random.ts';
import type { Reader } from './reader.ts';

/** A row of the log as it is stored. */
export type LogRow = Readonly<Record<string, string | number | null>> & { readonly seq: number };
type Statement = readonly [sql: string, ...values: (string | number | null)[]];

/** One way to falsify the log. */
export interface Mutation {
  /** For a reader of complaints. */
  readonly what: string;
  readonly statements: readonly Statement[];
}

const LOG = 'audit_log';
const SHIFT = 100_000;
/** Where a row is put for a moment; numbers begin with 1. */
const AWAY = 50_000;
const MOST_ROWS = 5;
const TEXT = 'abcdefghijklmnopqrstuvwxyz';
const NULLABLE = [
  'actor_id',
  'actor_label',
  'ip',
  'user_agent',
  'request_id',
  'before',
  'after',
  'note',
  'person_id',
];

/** Everything that hangs together without the key: each row names the hash of the one before it, and the head the last. */
const RELINK: readonly Statement[] = [
  [`UPDATE ${LOG} SET prev_hash = coalesce((SELECT p.hash FROM ${LOG} p WHERE p.seq = ${LOG}.seq - 1), '')`],
  [
    `UPDATE audit_head SET seq = coalesce((SELECT max(seq) FROM ${LOG}), 0),
     hash = coalesce((SELECT hash FROM ${LOG} ORDER BY seq DESC LIMIT 1), '')`,
  ],
];

/** Moves all rows from one on. Numbers are unique at every moment, so they go far away first. */
const shifted = (from: number, by: number): Statement[] => [
  [`UPDATE ${LOG} SET seq = seq + ${SHIFT} WHERE seq >= ?`, from],
  [`UPDATE ${LOG} SET seq = seq - ${SHIFT - by} WHERE seq >= ${SHIFT}`],
];

/** The kinds, in turn. */
const kinds = [changeRow, removeRows, insertRow, moveRow] as const;

/**
 * @param number kinds take turns by it, and every other round is a falsifier who also mends the chain as far as they can
 * @param rows the whole log, in order
 */
export function mutationOf(number: number, rows: readonly LogRow[], random: Random): Mutation {
  const isRelinked = Math.floor(number / kinds.length) % 2 === 1;
  const { what, statements } = (kinds[number % kinds.length] as (typeof kinds)[0])(rows, random, isRelinked);
  if (!isRelinked) return { what, statements };
  return { what: `${what}, relinked`, statements: [...statements, ...RELINK] };
}

function changeRow(rows: readonly LogRow[], random: Random, isRelinked: boolean): Mutation {
  const row = pick(rows, random);
  // A link that was changed and then mended is no change.
  const columns = Object.keys(row).filter((name) => name !== 'seq' && !(isRelinked && name === 'prev_hash'));
  const column = pick(columns, random);
  const value = otherThan(row[column] ?? null, NULLABLE.includes(column), random);
  return {
    what: `${column} of row ${row.seq} changed`,
    statements: [[`UPDATE ${LOG} SET "${column}" = ? WHERE seq = ?`, value, row.seq]],
  };
}

function otherThan(value: string | number | null, mayBeNull: boolean, random: Random): string | null {
  if (value === null) return random.word(6);
  if (mayBeNull && random.below(4) === 0) return null;
  const text = String(value);
  const at = random.below(Math.max(1, text.length));
  const letter = pick(
    [...TEXT].filter((one) => one !== text[at]),
    random,
  );
  return text.slice(0, at) + letter + text.slice(at + 1);
}

/** The last rows together with the head are another matter: that takes an anchor. */
function removeRows(rows: readonly LogRow[], random: Random, isRelinked: boolean): Mutation {
  const most = isRelinked ? rows.length - 1 : rows.length;
  const count = 1 + random.below(MOST_ROWS);
  const first = 1 + random.below(most - count + 1);
  const removed: Statement = [`DELETE FROM ${LOG} WHERE seq >= ? AND seq < ?`, first, first + count];
  // Renumbered, so that no number is missing; or else what was there is said to have been cut for its age.
  const rest = isRelinked && random.below(4) > 0 ? shifted(first + count, -count) : [];
  return { what: `rows ${first} to ${first + count - 1} removed`, statements: [removed, ...rest] };
}

function insertRow(rows: readonly LogRow[], random: Random): Mutation {
  const model = pick(rows, random);
  const place = 1 + random.below(rows.length + 1);
  const before = rows[place - 2]?.hash ?? '';
  const hash = random.below(2) === 0 ? (model.hash ?? null) : random.word(43);
  const forged = {
    ...model,
    seq: place,
    id: `aud_${random.word(26).toUpperCase()}`,
    prev_hash: before,
    hash,
  };
  const names = Object.keys(forged).map((name) => `"${name}"`);
  const marks = names.map(() => '?');
  return {
    what: `a row inserted before ${place}`,
    statements: [
      ...shifted(place, 1),
      [`INSERT INTO ${LOG} (${names.join(', ')}) VALUES (${marks.join(', ')})`, ...Object.values(forged)],
    ],
  };
}

/** Two rows change places, or one moves to another place and those between make room. */
function moveRow(rows: readonly LogRow[], random: Random): Mutation {
  const [one, other] = random
    .shuffled(rows)
    .slice(0, 2)
    .map(({ seq }) => seq) as [number, number];
  const away: Statement = [`UPDATE ${LOG} SET seq = ${AWAY} WHERE seq = ?`, one];
  const back: Statement = [`UPDATE ${LOG} SET seq = ? WHERE seq = ${AWAY}`, other];
  if (random.below(2) === 0) {
    const swapped: Statement = [`UPDATE ${LOG} SET seq = ? WHERE seq = ?`, one, other];
    return { what: `rows ${one} and ${other} swapped`, statements: [away, swapped, back] };
  }
  const isDown = one < other;
  const [least, most] = isDown ? [one + 1, other] : [other, one - 1];
  const between: Statement[] = [
    [`UPDATE ${LOG} SET seq = seq + ${SHIFT} WHERE seq >= ? AND seq <= ?`, least, most],
    [`UPDATE ${LOG} SET seq = seq - ${SHIFT + (isDown ? 1 : -1)} WHERE seq >= ${SHIFT}`],
  ];
  return { what: `row ${one} moved to ${other}`, statements: [away, ...between, back] };
}

/** The last rows go, and the head says that there were none. */
export const cutTail = (rows: readonly LogRow[], count: number): Mutation => ({
  what: `the last ${count} rows cut with the head`,
  statements: [[`DELETE FROM ${LOG} WHERE seq > ?`, rows.length - count], ...RELINK],
});

const pick = <T>(values: readonly T[], random: Random): T => values[random.below(values.length)] as T;

/** The log of an installation in the hands of somebody who owns its database. */
export class OwnedLog {
  readonly #reader: Reader;
  rows: readonly LogRow[] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Takes the guards away and keeps what the log says now. */
  async take(isPostgres: boolean): Promise<void> {
    if (isPostgres) await this.#reader.run(`ALTER TABLE ${LOG} DISABLE TRIGGER USER`);
    else {
      const guards = await this.#reader.all<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '${LOG}'`,
      );
      for (const { name } of guards) await this.#reader.run(`DROP TRIGGER ${name}`);
    }
    this.rows = await this.#reader.all<LogRow>(`SELECT * FROM ${LOG} ORDER BY seq`);
    await this.#reader.run(`CREATE TEMPORARY TABLE kept_log AS SELECT * FROM ${LOG}`);
    await this.#reader.run('CREATE TEMPORARY TABLE kept_head AS SELECT * FROM audit_head');
  }

  async falsify({ statements }: Mutation): Promise<void> {
    await this.#reader.run('BEGIN');
    for (const [sql, ...values] of statements) await this.#reader.run(sql, ...values);
    await this.#reader.run('COMMIT');
  }

  async restore(): Promise<void> {
    await this.#reader.run('BEGIN');
    await this.#reader.run(`DELETE FROM ${LOG}`);
    await this.#reader.run(`INSERT INTO ${LOG} SELECT * FROM kept_log`);
    await this.#reader.run('DELETE FROM audit_head');
    await this.#reader.run('INSERT INTO audit_head SELECT * FROM kept_head');
    await this.#reader.run('COMMIT');
  }
}
