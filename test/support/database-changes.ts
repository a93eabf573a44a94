// What a piece of work wrote, as tests of HTTP endpoints state it.
import type { Database, Db } from '#kernel/db/database.ts';
import { listTables } from '#kernel/db/schema.ts';
import { type Statement, statement } from '#kernel/db/statement.ts';

/**
 * `events`: types of events and actions of changes that only the audit log has, in alphabetical order. `rows`: by table, such as `+1`, `~2` (changed), `-1`; `{}` for none.
 */
export type Changes = { events: string[]; rows: Record<string, string> };

/** Written behind or by the program itself, whatever a request does. */
const ignored = new Set([
  'rate_limits',
  'alert_servers',
  'scheduled_jobs',
  'counters',
  'schema_migrations',
  'audit_head',
  'audit_subjects',
  // Counted in memory and written every few seconds, for requests long before.
  'license_observations',
  'license_stats',
  'license_denials',
  'license_daily_totals',
  'license_key_hours',
  'license_requests',
  'limit_refusals',
]);

/** The last use of a credential is noted behind the answer and says nothing about the request. */
const writtenBehind: Record<string, readonly string[]> = {
  api_keys: ['last_used_at'],
  admin_tokens: ['last_used_at'],
};

/** The rows of each table as JSON. What nobody wrote to is the same text, which is compared without looking inside. */
type Snapshot = ReadonlyMap<string, string>;

/**
 * Runs `work` and tells what differs afterwards.
 * @returns the result of the work and what it left in the database
 */
export async function changesBy<T>(
  database: Database,
  work: () => Promise<T>,
): Promise<{ result: T; changes: Changes }> {
  const before = await snapshot(database);
  const result = await work();
  return { result, changes: compare(before, await snapshot(database)) };
}

/** What is known of a test's database: its tables, which stay what they are, and what it held when last looked at. */
interface Watched {
  /** Prepared once: planning a question for all tables takes longer than answering it. */
  readonly reads: ReadonlyMap<string, Statement<object, Told>>;
  readonly marksOf: () => Promise<Map<string, string>>;
  /** As of the last look; a table whose mark is the same was not written to. */
  marks: ReadonlyMap<string, string>;
  rows: Snapshot;
}

/** About one table. */
interface Told {
  readonly name: string;
  readonly text: string;
}

const known = new WeakMap<Database, Watched>();

/** Every row of every table. Reading them all again around each request would take most of the suite's time. */
async function snapshot(database: Database): Promise<Snapshot> {
  const watched = known.get(database) ?? (await watch(database));
  known.set(database, watched);
  const { reads, marks, rows } = watched;
  const now = await watched.marksOf();
  const written = [...reads].filter(([table]) => now.get(table) !== marks.get(table));
  // Read after the marks: what is written in between has another mark at the next look, and is read again.
  const answers = await Promise.all(written.map(([, read]) => read.first(database.db, {})));
  watched.marks = now;
  watched.rows = new Map([...rows, ...asMap(answers as Told[])]);
  return watched.rows;
}

const asMap = (told: readonly Told[]): Map<string, string> =>
  new Map(told.map(({ name, text }) => [name, text]));

async function watch(database: Database): Promise<Watched> {
  const { db, dialect } = database;
  const tables = (await listTables(db)).filter((name) => !ignored.has(name));
  const rows = dialect === 'postgres' ? async () => "coalesce(json_agg(t)::text, '[]')" : jsonOfRows;
  const reads = await Promise.all(
    tables.map(async (table) => [table, selecting([table], await rows(table, db))] as const),
  );
  const marksOf =
    dialect === 'postgres' ? await marksOnPostgres(tables, db) : await marksOnSqlite(tables, database);
  return { reads: new Map(reads), marksOf, marks: new Map(), rows: new Map() };
}

/**
 * Each statement that writes to a table leaves its name, in its own transaction: to look at every table instead took most
 * of the time of tests that send thousands of requests.
 */
async function marksOnPostgres(tables: readonly string[], db: Db): Promise<Watched['marksOf']> {
  // Several may look at one database.
  const { rows } = await db.knex.raw("SELECT to_regclass('watching.writes') AS known");
  if (rows[0].known === null) await noteWrites(tables, db);
  const marks = statement<object, Told>((knex) =>
    knex.raw('SELECT name, count(*)::text AS text FROM watching.writes GROUP BY name'),
  );
  const never = tables.map((name) => [name, '0'] as const);
  return async () => new Map([...never, ...asMap(await marks.all(db, {}))]);
}

async function noteWrites(tables: readonly string[], { knex }: Db): Promise<void> {
  await knex.raw('CREATE SCHEMA watching');
  await knex.raw('CREATE UNLOGGED TABLE watching.writes (name TEXT NOT NULL)');
  await knex.raw(`CREATE FUNCTION watching.note() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO watching.writes VALUES (TG_TABLE_NAME); RETURN NULL; END'`);
  for (const table of tables)
    await knex.raw(`CREATE TRIGGER noted_write AFTER INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION watching.note()`);
}

/**
 * The connection that writes counts in its own memory what it does to each table. Of other processes SQLite tells only
 * that they have committed, not where: then each table has another mark.
 */
async function marksOnSqlite(tables: readonly string[], database: Database): Promise<Watched['marksOf']> {
  await database.transaction(async ({ knex }) => {
    await knex.raw('PRAGMA temp_store = memory');
    await knex.raw('CREATE TEMP TABLE writes_seen (name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID');
    for (const table of tables) {
      await knex.raw('INSERT INTO writes_seen VALUES (?, 0)', [table]);
      for (const verb of ['INSERT', 'UPDATE', 'DELETE'])
        await knex.raw(
          `CREATE TEMP TRIGGER seen_${verb}_${table} AFTER ${verb} ON main.${table} BEGIN
             UPDATE writes_seen SET n = n + 1 WHERE name = '${table}'; END`,
        );
    }
  });
  const marks = statement<object, Told>((knex) =>
    knex.raw("SELECT name, v.data_version || ' ' || n AS text FROM writes_seen, pragma_data_version v"),
  );
  let looks = 0;
  return async () => {
    try {
      return asMap(await marks.all(database.db, {}));
    } catch {
      // The connection is writing right now, and another one was asked: any table may be another at the next look.
      looks += 1;
      return new Map(tables.map((table) => [table, `look ${looks}`]));
    }
  };
}

/** Asks each of some tables the same. @param text an aggregate of its rows, `t` */
function selecting(tables: readonly string[], text: string): Statement<object, Told> {
  const selects = tables.map((table) => `SELECT '${table}' AS name, ${text} AS text FROM ${table} t`);
  return statement((knex) => knex.raw(selects.join(' UNION ALL ')));
}

async function jsonOfRows(table: string, { knex }: Db): Promise<string> {
  const columns: { name: string }[] = await knex.raw(`SELECT name FROM pragma_table_info('${table}')`);
  return `json_group_array(json_object(${columns.map(({ name }) => `'${name}', "${name}"`).join(', ')}))`;
}

/** Each row as text, by the key that names it. */
function rowsOf(table: string, text: string): Map<string, string> {
  const rows = JSON.parse(text) as Record<string, unknown>[];
  for (const row of rows) for (const column of writtenBehind[table] ?? []) delete row[column];
  return new Map(rows.map((row) => [nameOf(table, row), JSON.stringify(row)]));
}

const nameOf = (table: string, row: Record<string, unknown>): string => {
  if (table === 'license_idempotency') return `${row.tenant_id} ${row.namespace} ${row.key}`;
  return String(row.id ?? row.key ?? row.name ?? JSON.stringify(row));
};

function compare(before: Snapshot, after: Snapshot): Changes {
  const rows: Record<string, string> = {};
  const events: string[] = [];
  for (const [table, text] of after) {
    const past = before.get(table) ?? '[]';
    if (text === past) continue;
    const [then, now] = [rowsOf(table, past), rowsOf(table, text)];
    const added = [...now.keys()].filter((name) => !then.has(name));
    if (table === 'events') {
      for (const name of added) events.push((JSON.parse(now.get(name) as string) as { type: string }).type);
      continue;
    }
    if (table === 'audit_log') {
      const told = after.get('events') ?? '';
      for (const name of added) events.push(...changeOf(now.get(name) as string, told));
      continue;
    }
    const changed = [...now].filter(([name, row]) => then.has(name) && then.get(name) !== row);
    const gone = [...then.keys()].filter((name) => !now.has(name));
    const counts = [`+${added.length}`, `~${changed.length}`, `-${gone.length}`];
    const words = counts.filter((count) => !count.endsWith('0') || count.length > 2).join(' ');
    if (words !== '') rows[table] = words;
  }
  return { events: events.sort(), rows };
}

/** The action of an audit row; none when it belongs to an event, which counts already. @param events their rows as text */
function changeOf(text: string, events: string): string[] {
  const row = JSON.parse(text) as { id: string; action: string };
  return events.includes(row.id) ? [] : [row.action];
}

/** A refusal or a read: no event and no row. */
export const nothing: Changes = { events: [], rows: {} };
