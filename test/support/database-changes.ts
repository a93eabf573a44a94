// What a piece of work wrote, as tests of HTTP endpoints state it.
import type { Database } from '#kernel/db/database.ts';
import { listTables } from '#kernel/db/schema.ts';

/** `events`: types in alphabetical order. `rows`: by table, such as `+1`, `~2` (changed), `-1`; `{}` for none. */
export type Changes = { events: string[]; rows: Record<string, string> };

/** Written behind or by the program itself, whatever a request does. */
const ignored = new Set(['rate_limits', 'scheduled_jobs', 'counters', 'schema_migrations']);

/** The last use of an API key is noted behind the answer and says nothing about the request. */
const writtenBehind: Record<string, readonly string[]> = { api_keys: ['last_used_at'] };

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
async function snapshot({ db }: Database): Promise<Snapshot> {
  const tables: Snapshot = new Map();
  for (const table of await listTables(db)) {
    if (ignored.has(table)) continue;
    const rows: Record<string, unknown>[] = await db.knex(table).select();
    for (const row of rows) for (const column of writtenBehind[table] ?? []) delete row[column];
    tables.set(table, new Map(rows.map((row) => [nameOf(table, row), JSON.stringify(row)])));
  }
  return tables;
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
    const changed = [...now].filter(([name, row]) => then.has(name) && then.get(name) !== row);
    const gone = [...then.keys()].filter((name) => !now.has(name));
    const counts = [`+${added.length}`, `~${changed.length}`, `-${gone.length}`];
    const text = counts.filter((count) => !count.endsWith('0') || count.length > 2).join(' ');
    if (text !== '') rows[table] = text;
  }
  return { events: events.sort(), rows };
}

/** A refusal or a read: no event and no row. */
export const nothing: Changes = { events: [], rows: {} };
