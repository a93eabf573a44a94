import type { Db } from '../database.ts';
import { MIGRATIONS_TABLE } from '../migrate.ts';
import { listTables } from '../schema.ts';

/** What the values of a column are, whatever each database calls its type. */
export type Kind = 'text' | 'integer' | 'flag' | 'json';

export interface CopiedColumn {
  readonly name: string;
  readonly kind: Kind;
}

/** A table as both databases have it. */
export interface CopiedTable {
  readonly name: string;
  /** In the order of their names. */
  readonly columns: readonly CopiedColumn[];
  /** Names of the columns of its primary key. */
  readonly key: readonly string[];
  /** Tables that its rows refer to; the table itself where rows refer to others of it. */
  readonly references: readonly string[];
}

/**
 * The tables of a database in an order in which each comes after those that it refers to.
 *
 * @throws Error for a column of a type that is not known to be equal on both databases
 */
export async function describeTables(db: Db): Promise<CopiedTable[]> {
  const names = (await listTables(db)).filter((name) => name !== MIGRATIONS_TABLE);
  const described = db.dialect === 'postgres' ? await describePostgres(db) : await describeSqlite(db, names);
  return inOrder(names.map((name) => tableOf(name, described)));
}

/** What a database says of all its tables, one row each. */
interface Described {
  readonly columns: readonly { table: string; name: string; type: string; place: number }[];
  readonly references: readonly { table: string; target: string }[];
}

function tableOf(name: string, { columns, references }: Described): CopiedTable {
  const own = columns.filter(({ table }) => table === name);
  const key = own.filter(({ place }) => place > 0).sort((one, other) => one.place - other.place);
  const targets = references.filter(({ table }) => table === name).map(({ target }) => target);
  return {
    name,
    columns: own
      .map((column) => ({ name: column.name, kind: kindOf(column) }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
    key: key.map((column) => column.name),
    references: [...new Set(targets)],
  };
}

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^bool/, 'flag'],
  [/^json/, 'json'],
  [/int/, 'integer'],
  [/^(text|.*char)/, 'text'],
];

function kindOf({ table, name, type }: { table: string; name: string; type: string }): Kind {
  const known = KINDS.find(([pattern]) => pattern.test(type.toLowerCase()));
  if (!known) throw new Error(`the column ${table}.${name} has the type ${type}, which no copy is made of`);
  return known[1];
}

async function describeSqlite({ knex }: Db, names: readonly string[]): Promise<Described> {
  const list = JSON.stringify(names);
  const columns: Described['columns'] = await knex.raw(
    'SELECT t.value AS "table", c.name, c.type, c.pk AS place FROM json_each(?) t, pragma_table_info(t.value) c',
    [list],
  );
  const references: Described['references'] = await knex.raw(
    'SELECT t.value AS "table", f."table" AS target FROM json_each(?) t, pragma_foreign_key_list(t.value) f',
    [list],
  );
  return { columns, references };
}

async function describePostgres({ knex }: Db): Promise<Described> {
  const columns = (await knex.raw(
    `SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type,
            coalesce(array_position(k.conkey, a.attnum), 0) AS place
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
      WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace)`,
  )) as { rows: Described['columns'] };
  const references = (await knex.raw(
    `SELECT r.relname AS "table", f.relname AS target FROM pg_constraint k
       JOIN pg_class r ON r.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
      WHERE k.contype = 'f' AND k.connamespace = CAST(current_schema() AS regnamespace)`,
  )) as { rows: Described['references'] };
  return { columns: columns.rows, references: references.rows };
}

/** @throws Error when tables refer to each other in a circle */
function inOrder(tables: readonly CopiedTable[]): CopiedTable[] {
  const waiting = new Map(tables.map((table) => [table.name, table]));
  const ordered: CopiedTable[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ name, references }) =>
      references.every((target) => target === name || !waiting.has(target)),
    );
    if (ready.length === 0) throw new Error(`tables refer to each other: ${[...waiting.keys()].join(', ')}`);
    for (const table of ready) waiting.delete(table.name);
    ordered.push(...ready);
  }
  return ordered;
}

/** Those tables, and all that refer to them, also by way of others: what has to be empty before they can be emptied. */
export function withReferring(
  tables: readonly CopiedTable[],
  changed: ReadonlySet<string>,
): readonly CopiedTable[] {
  const reached = new Set(changed);
  // Each table comes after those that it refers to, so that one walk finds all.
  for (const { name, references } of tables)
    if (references.some((target) => reached.has(target))) reached.add(name);
  return tables.filter(({ name }) => reached.has(name));
}
