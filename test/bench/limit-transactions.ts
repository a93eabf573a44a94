// The transactions of the bare server that writes: what the program stores of an operation, and no rule or check.
import Driver from 'better-sqlite3';
import pg from 'pg';
import { reusablePlan } from '#kernel/db/dialect.ts';
import { newId } from '#kernel/ids.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { apiKeySql, licenseSql, numbered, type Row } from './limit-reads.ts';

/** One request, as far as the database needs it. */
export interface Wish {
  operation: 'activate' | 'heartbeat' | 'record-usage';
  apiKeyHash: string;
  digest: string;
  machineId: string;
  machineName: string | null;
  feature: string;
  nowMs: number;
  /** `nowMs` as ISO 8601 UTC. */
  now: string;
}

/** What was stored; `counter` is that of the uses. */
export interface Stored {
  row: Row;
  counter: number;
}

export interface Writes {
  /** Resolves after the commit; null when the license cannot take it. */
  perform(wish: Wish): Promise<Stored | null>;
}

/** @param url `sqlite:PATH` or `postgres://…` */
export const openWrites = (url: string): Writes =>
  url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : onPostgres(url);

type Step = { sql: keyof typeof statements; values: unknown[] };

const statements = {
  activate: `
    INSERT INTO license_activations
      (id, tenant_id, license_id, kind, machine_id, machine_name, activated_at, last_seen_at, created_at)
    VALUES (?, ?, ?, 'NODE', ?, ?, ?, ?, ?)`,
  heartbeat: `
    UPDATE license_activations SET last_seen_at = ?, lapse_notified_at = NULL
    WHERE license_id = ? AND machine_id = ? AND ended_at IS NULL`,
  count: 'UPDATE licenses SET current_uses = current_uses + 1, updated_at = ? WHERE id = ?',
  usage: `
    INSERT INTO license_usage (id, license_id, tenant_id, epoch, feature, quantity, counter_after, at)
    VALUES (?, ?, ?, 0, ?, 1, ?, ?)`,
  event: `
    INSERT INTO events (id, type, service, tenant_id, subject, at, actor_kind, data)
    VALUES (?, ?, 'license', ?, ?, ?, 'api_key', ?)`,
} as const;

/** The rows that the program writes for an operation. */
function stepsOf(wish: Wish, row: Row, counter: number): Step[] {
  const { operation, machineId, machineName, feature, nowMs, now } = wish;
  const id = row.id as string;
  if (operation === 'heartbeat') return [{ sql: 'heartbeat', values: [now, id, machineId] }];
  const event = (type: string, data: object): Step => ({
    sql: 'event',
    values: [newId('evt', nowMs), type, DEFAULT_TENANT_ID, id, now, JSON.stringify(data)],
  });
  if (operation === 'record-usage')
    return [
      { sql: 'count', values: [now, id] },
      { sql: 'usage', values: [newId('use', nowMs), id, DEFAULT_TENANT_ID, feature, counter, now] },
      event('USAGE_RECORDED', { feature, quantity: 1, current: counter }),
    ];
  const activation = [newId('act', nowMs), DEFAULT_TENANT_ID, id, machineId, machineName, now, now, now];
  return [{ sql: 'activate', values: activation }, event('LICENSE_ACTIVATED', { machineId, machineName })];
}

const isFull = ({ operation }: Wish, row: Row): boolean =>
  operation === 'activate' && Number(row.used) >= Number(row.max_activations);

/** Requests that are read while another commit is under way share the next one. */
function onSqlite(path: string): Writes {
  const connection = new Driver(path, { timeout: 5000 });
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  const apiKey = connection.prepare(reusablePlan('sqlite', apiKeySql));
  const license = connection.prepare(reusablePlan('sqlite', licenseSql));
  const prepared = Object.fromEntries(
    Object.entries(statements).map(([name, sql]) => [name, connection.prepare(sql)]),
  ) as Record<keyof typeof statements, Driver.Statement>;

  function store(wish: Wish): Stored | null {
    if (!apiKey.get(wish.apiKeyHash)) return null;
    const row = license.get(wish.now, wish.machineId, wish.digest, DEFAULT_TENANT_ID) as Row | undefined;
    if (!row || isFull(wish, row)) return null;
    const counter = Number(row.current_uses) + 1;
    for (const { sql, values } of stepsOf(wish, row, counter)) prepared[sql].run(...values);
    return { row, counter };
  }

  let waiting: { wish: Wish; settle(stored: Stored | null): void }[] = [];
  function commitAll(): void {
    const group = waiting;
    waiting = [];
    connection.exec('BEGIN IMMEDIATE');
    const stored = group.map(({ wish }) => store(wish));
    connection.exec('COMMIT');
    for (const [i, { settle }] of group.entries()) settle(stored[i] ?? null);
  }
  return {
    perform: (wish) =>
      new Promise((settle) => {
        waiting.push({ wish, settle });
        if (waiting.length === 1) setImmediate(commitAll);
      }),
  };
}

/** Postgres shares the commits of its connections by itself. */
function onPostgres(connectionString: string): Writes {
  const pool = new pg.Pool({ connectionString, max: 10 });
  const texts = Object.fromEntries(Object.entries(statements).map(([name, sql]) => [name, numbered(sql)]));
  const lock = {
    name: 'lock',
    text: 'SELECT l.id FROM licenses l JOIN license_keys k ON k.license_id = l.id WHERE k.digest = $1 FOR UPDATE OF l',
  };
  const [apiKeyText, licenseText] = [numbered(apiKeySql), numbered(licenseSql)];

  async function store(client: pg.PoolClient, wish: Wish): Promise<Stored | null> {
    const known = await client.query({ name: 'api_key', text: apiKeyText, values: [wish.apiKeyHash] });
    if (known.rows.length === 0) return null;
    if (wish.operation !== 'heartbeat') await client.query({ ...lock, values: [wish.digest] });
    const values = [wish.now, wish.machineId, wish.digest, DEFAULT_TENANT_ID];
    const row = (await client.query({ name: 'license', text: licenseText, values })).rows[0] as
      | Row
      | undefined;
    if (!row || isFull(wish, row)) return null;
    const counter = Number(row.current_uses) + 1;
    for (const step of stepsOf(wish, row, counter))
      await client.query({ name: step.sql, text: texts[step.sql] as string, values: step.values });
    return { row, counter };
  }

  return {
    async perform(wish) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const stored = await store(client, wish);
        await client.query('COMMIT');
        return stored;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },
  };
}
