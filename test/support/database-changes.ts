// What a piece of work wrote, as tests of HTTP endpoints state it.
import type { Database } from '#kernel/db/database.ts';
import { listTables } from '#kernel/db/schema.ts';

/**
 * `events`: types of events and actions of changes that only the audit log has, in alphabetical order. `rows`: by table, such as `+1`, `~2` (changed), `-1`; `{}` for none.
 */
export type Changes = { events: string[]; rows: Record<string, string> };

/** Written behind or by the program itself, whatever a request does. */
const ignored = new Set([
  'rate_limits',
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
  'license_requests',
  'limit_refusals',
]);

/** The last use of a credential is noted behind the answer and says nothing about the request. */
const writtenBehind: Record<string, readonly string[]> = {
  api_keys: ['last_used_at'],
  admin_tokens: ['last_used_at'],
};

type Snapshot = Map<string, Map<string, string>>;

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

/** Every row as text, by the key that names it. */
async function snapshot(database: Database): Promise<Snapshot> {
  const tables: Snapshot = new Map();
  for (const [table, rows] of await readTables(database)) {
    for (const row of rows) for (const column of writtenBehind[table] ?? []) delete row[column];
    tables.set(table, new Map(rows.map((row) => [nameOf(table, row), JSON.stringify(row)])));
  }
  return tables;
}

type Rows = Record<string, unknown>[];

/** One question for all tables: half of the suite's statements would be these otherwise. */
async function readTables(database: Database): Promise<[table: string, rows: Rows][]> {
  const { tables, sql } = await everyRow(database);
  const answer: unknown = await database.db.knex.raw(sql);
  const found = database.dialect === 'postgres' ? (answer as { rows: unknown }).rows : answer;
  const rows = new Map(tables.map((table): [string, Rows] => [table, []]));
  for (const { name, text } of found as { name: string; text: string }[])
    rows.get(name)?.push(JSON.parse(text));
  return [...rows];
}

type Question = { tables: string[]; sql: string };
const known = new WeakMap<Database, Question>();

/** The tables of a test's database stay what they are. */
async function everyRow(database: Database): Promise<Question> {
  const question = known.get(database);
  if (question !== undefined) return question;
  const tables = (await listTables(database.db)).filter((name) => !ignored.has(name));
  const selects = tables.map(async (table) => {
    const row = database.dialect === 'postgres' ? 'row_to_json(t)::text' : await jsonOfRow(database, table);
    return `SELECT '${table}' AS name, ${row} AS text FROM ${table} t`;
  });
  const made = { tables, sql: (await Promise.all(selects)).join(' UNION ALL ') };
  known.set(database, made);
  return made;
}

async function jsonOfRow({ db }: Database, table: string): Promise<string> {
  const columns: { name: string }[] = await db.knex.raw(`SELECT name FROM pragma_table_info('${table}')`);
  return `json_object(${columns.map(({ name }) => `'${name}', "${name}"`).join(', ')})`;
}

const nameOf = (table: string, row: Record<string, unknown>): string => {
  if (table === 'license_idempotency') return `${row.tenant_id} ${row.namespace} ${row.key}`;
  return String(row.id ?? row.key ?? row.name ?? JSON.stringify(row));
};

function compare(before: Snapshot, after: Snapshot): Changes {
  const rows: Record<string, string> = {};
  const events: string[] = [];
  for (const [table, now] of after) {
    const then = before.get(table) ?? new Map<string, string>();
    const added = [...now.keys()].filter((name) => !then.has(name));
    if (table === 'events') {
      for (const name of added) events.push((JSON.parse(now.get(name) as string) as { type: string }).type);
      continue;
    }
    if (table === 'audit_log') {
      for (const name of added) events.push(...changeOf(now.get(name) as string, after.get('events')));
      continue;
    }
    const changed = [...now].filter(([name, row]) => then.has(name) && then.get(name) !== row);
    const gone = [...then.keys()].filter((name) => !now.has(name));
    const counts = [`+${added.length}`, `~${changed.length}`, `-${gone.length}`];
    const text = counts.filter((count) => !count.endsWith('0') || count.length > 2).join(' ');
    if (text !== '') rows[table] = text;
  }
  return { events: events.sort(), rows };
}

/** The action of an audit row; none when it belongs to an event, which counts already. */
function changeOf(text: string, events: ReadonlyMap<string, string> | undefined): string[] {
  const row = JSON.parse(text) as { id: string; action: string };
  const told = [...(events?.values() ?? [])].some((event) => event.includes(row.id));
  return told ? [] : [row.action];
}

/** A refusal or a read: no event and no row. */
export const nothing: Changes = { events: [], rows: {} };
