import { secureRandom } from '../random.ts';
import type { Db } from './database.ts';

const PROGRAM = 'appctl';

/** Under which `pg_stat_activity` shows the connections of this process. */
export const sessionName = `${PROGRAM} ${process.pid} ${secureRandom(4).toString('hex')}`;

/** A process of this program that is connected to the same Postgres database. */
export interface OtherSession {
  /** Its process id on its own machine. */
  readonly pid: string;
  /** null for one on the machine of the database, or where this user may not see it. */
  readonly address: string | null;
}

/** Other processes of this program that are connected to a Postgres database at this moment. */
export async function otherSessions({ dialect, knex }: Db): Promise<OtherSession[]> {
  if (dialect !== 'postgres') return [];
  const { rows } = (await knex.raw(
    `SELECT DISTINCT application_name AS name, host(client_addr) AS address FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE ? AND application_name <> ? ORDER BY 1`,
    [`${PROGRAM} %`, sessionName],
  )) as { rows: { name: string; address: string | null }[] };
  return rows.map(({ name, address }) => ({ pid: name.split(' ')[1] ?? '', address }));
}
