import type { Db } from './database.ts';

/** An arbitrary constant: the advisory lock under which one process migrates. */
const MIGRATION_LOCK = 8_210_480;

/** One runner of migrations at a time. On SQLite the transaction itself is the lock. */
export async function lockMigrations(db: Db): Promise<void> {
  if (db.dialect === 'postgres') await db.knex.raw('SELECT pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
}

/** Names of the tables of the current schema, without those that hold an index over words: their rows follow from others. */
export async function listTables(db: Db): Promise<string[]> {
  if (db.dialect === 'postgres') {
    const { rows } = (await db.knex.raw(
      `SELECT c.relname AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
         AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.atttypid = 'tsvector'::regtype)
        ORDER BY 1`,
    )) as { rows: { name: string }[] };
    return rows.map((row) => row.name);
  }
  const rows = (await db.knex.raw(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1",
  )) as { name: string }[];
  return rows.map((row) => row.name);
}

const TABLES =
  "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace";
/** Without those of extensions. */
const FUNCTIONS = `SELECT proname AS name FROM pg_proc p
  WHERE prokind = 'f' AND pronamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`;

/** Drops every table and function of a Postgres schema, whichever version of the program made them. */
export async function dropSchema({ knex }: Db): Promise<void> {
  const named = async (query: string) => ((await knex.raw(query)) as { rows: { name: string }[] }).rows;
  for (const { name } of await named(TABLES)) await knex.raw('DROP TABLE ?? CASCADE', [name]);
  for (const { name } of await named(FUNCTIONS)) await knex.raw('DROP FUNCTION ?? CASCADE', [name]);
}

/**
 * The schema as comparable lines: one per column, index, check and trigger. Used to find drift between
 * a living database and what the migrations make, and as the golden dump in the tests.
 */
export async function describeSchema(db: Db): Promise<string[]> {
  return db.dialect === 'postgres' ? describePostgres(db) : describeSqlite(db);
}

async function describeSqlite(db: Db): Promise<string[]> {
  const rows = (await db.knex.raw(
    "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name",
  )) as { type: string; name: string; sql: string }[];
  return rows.map(({ type, name, sql }) => `${type} ${name}: ${sql.replaceAll(/\s+/g, ' ')}`);
}

const POSTGRES_SCHEMA = `
SELECT 'column ' || table_name || '.' || column_name || ': ' || data_type || ' ' || is_nullable
       || ' ' || coalesce(column_default, '') || ' ' || coalesce(collation_name, '') AS line
  FROM information_schema.columns WHERE table_schema = current_schema()
UNION ALL
SELECT 'constraint ' || r.relname || '.' || c.conname || ': ' || pg_get_constraintdef(c.oid)
  FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
 WHERE c.connamespace = current_schema()::regnamespace AND c.contype <> 'n'
UNION ALL
SELECT 'index ' || indexname || ': ' || replace(indexdef, schemaname || '.', '')
  FROM pg_indexes WHERE schemaname = current_schema()
UNION ALL
SELECT 'trigger ' || r.relname || '.' || t.tgname || ': ' || t.tgenabled::text
  FROM pg_trigger t JOIN pg_class r ON r.oid = t.tgrelid
 WHERE NOT t.tgisinternal AND r.relnamespace = current_schema()::regnamespace
ORDER BY 1`;

async function describePostgres(db: Db): Promise<string[]> {
  const { rows } = (await db.knex.raw(POSTGRES_SCHEMA)) as { rows: { line: string }[] };
  return rows.map((row) => row.line);
}
