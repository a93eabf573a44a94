import { secureRandom } from '../random.ts';
import type { Db } from './database.ts';

const PROGRAM = 'appctl';

/** How `sessionName` begins, with the process id. */
const SESSION_NAME = /^appctl (\d+) /;

/** Under which `pg_stat_activity` shows the connections of this process. */
export const sessionName = `${PROGRAM} ${process.pid} ${secureRandom(4).toString('hex')}`;

/** A process of this program that is connected to the same Postgres database. */
export interface OtherSession {
  /** Its process id on its own machine; null where its address gives its connections another name. */
  readonly pid: string | null;
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
  return rows.map(sessionOf);
}

/** @param name of a connection; null in `pid` for one whose address names it otherwise */
export const sessionOf = ({ name, address }: { name: string; address: string | null }): OtherSession => ({
  pid: SESSION_NAME.exec(name)?.[1] ?? null,
  address,
});

/** Sessions in words, for who has to end them. */
export function sessionWords(sessions: readonly OtherSession[]): string {
  if (sessions.length === 0) return 'another process';
  return sessions
    .map(
      ({ pid, address }) =>
        `${pid === null ? 'a process' : `process ${pid}`}${address ? ` at ${address}` : ''}`,
    )
    .join(', ');
}
