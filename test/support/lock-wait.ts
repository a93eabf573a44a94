// Two transactions that meet: one holds a lock, the other waits for it.
import type { Database } from '#kernel/db/database.ts';

const WAITING =
  "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** Resolves when a transaction waits for another one. On SQLite at once: there the writer's lane holds it back. */
export const someoneWaits = (database: Database): Promise<void> => wait(database, 1);

/** Resolves when two of them wait. */
export const twoWait = (database: Database): Promise<void> => wait(database, 2);

async function wait(database: Database, count: number): Promise<void> {
  if (database.dialect === 'sqlite') return;
  for (;;) {
    const { rows } = (await database.db.knex.raw(WAITING)) as { rows: { n: unknown }[] };
    if (Number(rows[0]?.n) >= count) return;
  }
}
