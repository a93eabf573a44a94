import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import type { Database } from '../database.ts';

/** A text that no other database has, whatever its address says. */
export async function identityOf({ dialect, displayUrl, db }: Database): Promise<string> {
  if (dialect === 'sqlite') return realpathSync(displayUrl.slice('sqlite:'.length));
  const { rows } = (await db.knex.raw(
    'SELECT concat_ws(chr(10), pg_postmaster_start_time(), current_database(), current_schema()) AS name',
  )) as { rows: { name: string }[] };
  return rows[0]?.name ?? '';
}

/**
 * A text that stays the same while a database does, however its address is written: a file in the data directory moves
 * with it, and a Postgres server is known by its cluster.
 */
export async function placeOf(dataDir: string, { dialect, displayUrl, db }: Database): Promise<string> {
  if (dialect === 'sqlite') {
    const file = realpathSync(displayUrl.slice('sqlite:'.length));
    const inside = relative(realpathSync(dataDir), file);
    return `sqlite:${inside.startsWith('..') ? file : inside}`;
  }
  try {
    const { rows } = (await db.knex.raw(
      "SELECT concat_ws('/', 'postgres:', system_identifier, current_database(), current_schema()) AS name FROM pg_control_system()",
    )) as { rows: { name: string }[] };
    return rows[0]?.name ?? displayUrl;
  } catch {
    // A host may keep that function to itself.
    return displayUrl;
  }
}
