// Looks into a measured database and prepares it, past every server.
import Driver from 'better-sqlite3';
import pg from 'pg';

export interface Sql {
  /** The column `n` of the first row. */
  number(text: string, values?: readonly string[]): Promise<number>;
  /** The column `t` of the first row. */
  text(text: string, values?: readonly string[]): Promise<string>;
  run(text: string, values: readonly string[]): Promise<void>;
  /** Leaves files and statistics as a database has them that has run for a while. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** @param url `sqlite:PATH` or `postgres://…`; statements mark their values with `?` */
export async function openSql(url: string): Promise<Sql> {
  return url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : onPostgres(url);
}

function onSqlite(path: string): Sql {
  const connection = new Driver(path, { timeout: 10_000 });
  return {
    number: async (text, values = []) =>
      Number((connection.prepare(text).get(...values) as { n: number } | undefined)?.n ?? 0),
    text: async (text, values = []) =>
      (connection.prepare(text).get(...values) as { t: string } | undefined)?.t ?? '',
    run: async (text, values) => void connection.prepare(text).run(...values),
    settle: async () => void connection.pragma('wal_checkpoint(TRUNCATE)'),
    close: async () => void connection.close(),
  };
}

async function onPostgres(connectionString: string): Promise<Sql> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const query = (text: string, values: readonly string[]) => {
    let number = 0;
    return client.query<{ n: string; t: string }>(
      text.replaceAll('?', () => `$${++number}`),
      [...values],
    );
  };
  return {
    number: async (text, values = []) => Number((await query(text, values)).rows[0]?.n ?? 0),
    text: async (text, values = []) => (await query(text, values)).rows[0]?.t ?? '',
    run: async (text, values) => void (await query(text, values)),
    settle: async () => {
      await client.query('VACUUM ANALYZE');
      await client.query('CHECKPOINT');
    },
    close: () => client.end(),
  };
}
