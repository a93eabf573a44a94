import knexFactory, { type Knex } from 'knex';
import BetterSqlite3Dialect from 'knex/lib/dialects/better-sqlite3/index.js';
import PostgresDialect from 'knex/lib/dialects/postgres/index.js';
import type { DialectName } from './database.ts';

/** The part of knex's internal query object that a recorder fills. */
interface Query {
  sql: string;
  bindings?: unknown[];
  response?: unknown;
  context?: { lastID: number; changes: number };
}

/**
 * The SQL that `work` would run, without a database: every query is noted and answered with no rows.
 * A migration may therefore not depend on what it reads, only its data may.
 */
export async function recordSql(
  dialect: DialectName,
  work: (knex: Knex) => Promise<void>,
): Promise<string[]> {
  const noted: string[] = [];
  const Dialect = (dialect === 'postgres' ? PostgresDialect : BetterSqlite3Dialect) as typeof PostgresDialect;
  class Recorder extends Dialect {
    override acquireConnection(): Promise<unknown> {
      return Promise.resolve({ __knexUid: 'recorder' });
    }
    override releaseConnection(): Promise<void> {
      return Promise.resolve();
    }
    override _query(_connection: unknown, query: Query): Promise<Query> {
      noted.push(query.bindings?.length ? `${query.sql} ${JSON.stringify(query.bindings)}` : query.sql);
      query.context = { lastID: 0, changes: 0 };
      query.response = dialect === 'postgres' ? { rows: [], rowCount: 0, command: '' } : [];
      return Promise.resolve(query);
    }
  }
  await work(knexFactory({ client: Recorder, useNullAsDefault: true }));
  return noted;
}
