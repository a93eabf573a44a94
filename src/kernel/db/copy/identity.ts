import { realpathSync } from 'node:fs';
import type { Database } from '../database.ts';

/** A text that no other database has, whatever its address says. */
export async function identityOf({ dialect, displayUrl, db }: Database): Promise<string> {
  if (dialect === 'sqlite') return realpathSync(displayUrl.slice('sqlite:'.length));
  const { rows } = (await db.knex.raw(
    'SELECT concat_ws(chr(10), pg_postmaster_start_time(), current_database(), current_schema()) AS name',
  )) as { rows: { name: string }[] };
  return rows[0]?.name ?? '';
}
