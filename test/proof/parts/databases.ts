// Databases for proofs: a SQLite file on a real disk, or a database of its own on a durable Postgres.
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '../../support/postgres.ts';
import type { DatabaseKind, ProofBench } from './proof.ts';

/** One empty database. */
export interface ProofDatabase {
  kind: DatabaseKind;
  /** For `APPCTL_DATABASE_URL`; undefined lets the program take its own file in the data directory. */
  url: string | undefined;
  /** All rows of all tables as text; only on Postgres, where there are no files to read. */
  dump(): Promise<string>;
  /** Runs SQL beside the program; only on Postgres. */
  execute(sql: string, values: readonly string[]): Promise<void>;
  drop(): Promise<void>;
}

/** Makes databases of one kind. */
export interface DatabaseSource {
  kind: DatabaseKind;
  /**
   * @param password becomes part of the URL; the test server trusts everybody and ignores it
   */
  create(password: string): Promise<ProofDatabase>;
  stop(): Promise<void>;
}

/** @throws Error when there is no Postgres on this machine */
export async function openSource(kind: DatabaseKind): Promise<DatabaseSource> {
  if (kind === 'sqlite') return { kind, create: async () => sqlite, stop: async () => undefined };
  const server = await startPostgres({ durable: true });
  return { kind, create: (password) => createPostgres(server, password), stop: () => server.stop() };
}

const onlyPostgres = (): Promise<never> => Promise.reject(new Error('SQLite is read from its files'));

const sqlite: ProofDatabase = {
  kind: 'sqlite',
  url: undefined,
  dump: onlyPostgres,
  execute: onlyPostgres,
  drop: async () => undefined,
};

let made = 0;

async function createPostgres(server: TestPostgres, password: string): Promise<ProofDatabase> {
  made += 1;
  const name = `proof_${process.pid}_${made}`;
  await onServer(server.url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
  const url = new URL(server.url);
  url.pathname = name;
  url.password = password;
  return {
    kind: 'postgres',
    url: url.href,
    dump: () => onServer(url.href, dumpAll),
    execute: (sql, values) =>
      onServer(url.href, async (client) => void (await client.query(sql, [...values]))),
    drop: () =>
      onServer(server.url, async (client) => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  };
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Every column of every row as Postgres itself prints it. */
async function dumpAll(client: pg.Client): Promise<string> {
  const tables = await client.query<{ name: string }>(
    `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  const parts: string[] = [];
  for (const { name } of tables.rows) {
    const rows = await client.query<{ line: string }>(`SELECT t::text AS line FROM ${name} t`);
    parts.push(`# ${name}`, ...rows.rows.map((row) => row.line));
  }
  return parts.join('\n');
}

/** The file that the program makes in a data directory. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'appctl.db');

/** A bench whose next installation has tables of its own in the one database; a file is its own anyway. */
export async function withSchema(bench: ProofBench, name: string): Promise<ProofBench> {
  if (bench.database.url === undefined) return bench;
  await bench.database.execute(`CREATE SCHEMA ${name}`, []);
  const url = new URL(bench.database.url);
  url.searchParams.set('options', `-c search_path=${name}`);
  return { ...bench, database: { ...bench.database, url: url.href } };
}
