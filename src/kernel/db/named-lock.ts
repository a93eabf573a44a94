import type { Db } from './database.ts';

/**
 * Holds a name until the transaction ends, for a fact that no single row stands for. Others who ask for the same
 * name wait. On SQLite the writing transaction excludes everybody already.
 *
 * @param name any text; several are taken in alphabetical order by everybody, so that nobody waits in a circle
 */
export async function lockName(db: Db, name: string): Promise<void> {
  if (db.holdsWriteLock) return;
  await db.knex.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}
