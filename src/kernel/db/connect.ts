import { existsSync } from 'node:fs';
import type { Database } from './database.ts';
import { dialectOf } from './dialect.ts';

export interface ConnectOptions {
  /** Connections of a Postgres pool. */
  poolSize: number;
  /** How long a SQLite writer waits for another process, milliseconds. */
  busyTimeoutMs: number;
  /** Whether a missing SQLite file is created. */
  create: boolean;
  /** A SQLite file of this process alone, worthless once it ends. */
  scratch?: boolean;
  /** Told of Postgres connections that break while idle. */
  onError(error: Error): void;
}

/**
 * Opens the database that a URL names; only the driver that is needed is loaded.
 *
 * @param url `sqlite:PATH` or `postgres://…`
 * @throws DatabaseUnavailable when it cannot be opened or reached
 */
export async function openDatabase(url: string, options: ConnectOptions): Promise<Database> {
  if (dialectOf(url) === 'postgres') {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url, options);
  }
  const { openSqlite } = await import('./sqlite.ts');
  return openSqlite(url.slice('sqlite:'.length), options);
}

/** Whether a URL names a SQLite file that is not there: opening it would make an empty one. */
export const isMissingDatabase = (url: string): boolean =>
  dialectOf(url) === 'sqlite' && !existsSync(url.slice('sqlite:'.length));
