import type { Database } from '../database.ts';
import { makeMigrationsTable, UNFINISHED_COPY } from '../migrate.ts';

const TABLE = 'schema_migrations';
const rowOf = ({ knex }: Database['db']) => knex(TABLE).where({ name: UNFINISHED_COPY });

/**
 * Marks a database as a copy that is not complete, also one without a schema: until the mark is gone no program works
 * with it.
 *
 * @param installation id of the installation that is copied; @param now ISO time
 */
export const markUnfinished = (database: Database, installation: string, now: string): Promise<void> =>
  database.transaction(async (db) => {
    await makeMigrationsTable(db);
    await rowOf(db).delete();
    await db.knex(TABLE).insert({ name: UNFINISHED_COPY, at: now, ms: 0, checksum: installation });
  });

/** Takes the mark away. */
export const markFinished = (database: Database): Promise<void> =>
  database.transaction(async (db) => {
    await rowOf(db).delete();
  });
