import { existsSync } from 'node:fs';
import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Database } from '#kernel/db/database.ts';
import { dialectOf } from '#kernel/db/dialect.ts';
import { listTables } from '#kernel/db/schema.ts';
import { heldIn, readInstallationId, readMasterKeyId } from '#platform/installation/index.ts';
import { migratorOf } from './image.ts';

/** What a restore would replace. */
export type PresentState =
  /** No database, an empty one, or a schema that nobody ever served. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'filled'; readonly held: string; readonly installation: string | null }
  /** It cannot be read. */
  | { readonly kind: 'damaged'; readonly why: string };

/** The SQLite file of a configuration; null for Postgres. */
export const sqliteFileOf = ({ database: { url } }: Pick<Config, 'database'>): string | null =>
  dialectOf(url) === 'sqlite' ? url.slice('sqlite:'.length) : null;

/** Works with the database of a configuration, which must be there, whatever it holds. */
export async function withinDatabase<T>(
  { database }: Config,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { url, pool, busyTimeoutMs } = database;
  const opened = await openDatabase(url, {
    poolSize: pool,
    busyTimeoutMs,
    create: false,
    onError: () => undefined,
  });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Looks at the database of a configuration. @throws DatabaseUnavailable for Postgres that cannot be reached */
export async function presentState(config: Config): Promise<PresentState> {
  const file = sqliteFileOf(config);
  if (file !== null && !existsSync(file)) return { kind: 'empty' };
  try {
    return await withinDatabase(config, async (database) => {
      const tables = await listTables(database.db);
      if (!tables.includes('settings'))
        return tables.length === 0 || file === null
          ? { kind: 'empty' as const }
          : { kind: 'filled' as const, held: 'tables of another program', installation: null };
      const installation = await readInstallationId(database);
      if (installation === null && (await readMasterKeyId(database)) === null)
        return { kind: 'empty' as const };
      return { kind: 'filled' as const, held: await heldIn(database.db), installation };
    });
  } catch (error) {
    if (file === null) throw error;
    return { kind: 'damaged', why: (error as Error).message };
  }
}

/** Whether a copy into the database has come to its end. */
export const migrateState = (config: Config): Promise<'whole' | 'half'> =>
  withinDatabase(config, async (database) =>
    (await migratorOf(database, systemClock).status()).unfinishedCopyOf === null ? 'whole' : 'half',
  );
