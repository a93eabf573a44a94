import type { Compiled } from '../compiled.ts';
import type { Db } from '../database.ts';
import { written } from '../statement.ts';
import type { CopiedRow } from './digest.ts';
import { quoted } from './rows.ts';
import type { CopiedColumn, CopiedTable, Kind } from './tables.ts';

const listed = (names: readonly string[]): string => names.map(quoted).join(', ');

/** Writes rows into a table. @param db in a transaction */
export type WriteRows = (db: Db, rows: readonly CopiedRow[]) => Promise<void>;

/** Compiles the INSERT of all columns of a table. */
export function writerOf(dialect: Db['dialect'], table: CopiedTable): WriteRows {
  const names = table.columns.map(({ name }) => name);
  if (dialect === 'postgres') return inOneStatement(table, names);
  const places = names.map(() => '?').join(', ');
  const insert = written(`INSERT INTO ${quoted(table.name)} (${listed(names)}) VALUES (${places})`);
  const storedOf = ({ name, kind }: CopiedColumn, row: CopiedRow): unknown => {
    const value = row[name] ?? null;
    return kind === 'json' && value !== null ? withoutBlanks(value) : value;
  };
  return async (db, rows) => {
    for (const row of rows)
      await db.run(
        insert,
        table.columns.map((column) => storedOf(column, row)),
      );
  };
}

/** Postgres puts blanks between the parts of JSON, the program does not. */
const withoutBlanks = (value: unknown): string => JSON.stringify(JSON.parse(String(value)));

const READ_AS: Readonly<Record<Kind, string>> = {
  text: 'text',
  integer: 'bigint',
  flag: 'boolean',
  json: 'text',
};

/** Postgres takes a batch as one value: a thousand statements would each wait for an answer. */
function inOneStatement({ name, columns }: CopiedTable, names: readonly string[]): WriteRows {
  const read = columns.map((column) => `${quoted(column.name)} ${READ_AS[column.kind]}`).join(', ');
  const values = columns.map((column) =>
    column.kind === 'json' ? `CAST(${quoted(column.name)} AS jsonb)` : quoted(column.name),
  );
  const insert: Compiled = written(
    `INSERT INTO ${quoted(name)} (${listed(names)})
      SELECT ${values.join(', ')} FROM json_to_recordset(CAST($1 AS json)) AS r(${read})`,
  );
  const flags = columns.filter(({ kind }) => kind === 'flag').map((column) => column.name);
  const documents = columns.filter(({ kind }) => kind === 'json').map((column) => column.name);
  return async (db, rows) => {
    const readable = rows.map((row) => {
      const values: Record<string, unknown> = { ...row };
      for (const flag of flags) if (values[flag] !== null) values[flag] = Boolean(values[flag]);
      // SQLite keeps a JSON number as a number.
      for (const one of documents) if (values[one] !== null) values[one] = String(values[one]);
      return values;
    });
    await db.run(insert, [JSON.stringify(readable)]);
  };
}

/**
 * Empties tables, also those whose rows nobody else may delete.
 *
 * @param db in a transaction
 * @param tables with all that refer to them, each after those that it refers to
 */
export async function emptyTables(db: Db, tables: readonly CopiedTable[]): Promise<void> {
  if (tables.length === 0) return;
  if (db.dialect === 'sqlite') {
    for (const table of [...tables].reverse())
      await withoutTriggers(db, table.name, () => emptyOnSqlite(db, table));
    return;
  }
  const { rows } = (await db.knex.raw(
    `SELECT DISTINCT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND c.relnamespace = CAST(current_schema() AS regnamespace)`,
  )) as { rows: { name: string }[] };
  const guarded = rows.filter(({ name }) => tables.some((table) => table.name === name));
  for (const { name } of guarded) await db.knex.raw('ALTER TABLE ?? DISABLE TRIGGER USER', [name]);
  await db.knex.raw('TRUNCATE ??', [tables.map(({ name }) => name)]);
  for (const { name } of guarded) await db.knex.raw('ALTER TABLE ?? ENABLE TRIGGER USER', [name]);
}

/** SQLite has no way to switch a trigger off: it is dropped and made again. */
async function withoutTriggers({ knex }: Db, table: string, work: () => Promise<void>): Promise<void> {
  const triggers: { name: string; sql: string }[] = await knex.raw(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?",
    [table],
  );
  for (const { name } of triggers) await knex.raw('DROP TRIGGER ??', [name]);
  await work();
  for (const { sql } of triggers) await knex.raw(sql);
}

/** Rows that others of the same table refer to go after those. */
async function emptyOnSqlite({ knex }: Db, { name, key, references }: CopiedTable): Promise<void> {
  if (!references.includes(name)) {
    await knex(name).delete();
    return;
  }
  const own: { from: string }[] = await knex.raw(
    'SELECT "from" FROM pragma_foreign_key_list(?) WHERE "table" = ?',
    [name, name],
  );
  for (let gone = 1; gone > 0; ) {
    const leaves = knex(name);
    for (const { from } of own)
      leaves.whereNotIn(key[0] as string, knex(name).whereNotNull(from).select(from));
    gone = await leaves.delete();
  }
}

/**
 * Runs `work` while the references of a table are not looked at, then looks at all of them at once: rows may refer to such
 * as come later.
 *
 * @param db in a transaction
 */
export async function withoutReferences(
  db: Db,
  { name }: CopiedTable,
  work: () => Promise<void>,
): Promise<void> {
  if (db.dialect === 'sqlite') {
    // Until the end of the transaction.
    await db.knex.raw('PRAGMA defer_foreign_keys = 1');
    return work();
  }
  const { rows } = (await db.knex.raw(
    `SELECT conname AS name,
            format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS made
       FROM pg_constraint WHERE contype = 'f' AND conrelid = CAST(? AS regclass) ORDER BY conname`,
    [quoted(name)],
  )) as { rows: { name: string; made: string }[] };
  for (const one of rows) await db.knex.raw('ALTER TABLE ?? DROP CONSTRAINT ??', [name, one.name]);
  await work();
  for (const { made } of rows) await db.knex.raw(made);
}
