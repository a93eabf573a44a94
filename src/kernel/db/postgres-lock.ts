import pg from 'pg';
import { sleep } from '../clock.ts';
import { maskUrlPassword } from '../config/mask.ts';
import type { Log } from '../log.ts';
import { DatabaseUnavailable } from './database.ts';
import { UNFINISHED_COPY } from './migrate.ts';
import { withSession } from './postgres.ts';
import { type OtherSession, sessionOf } from './sessions.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** The connection does nothing for days. */
const SESSION = '-c idle_session_timeout=0 -c statement_timeout=10000';
/** One lock for each schema of a database: an installation has its own. */
const KEY = "hashtextextended('appctl serves ' || coalesce(current_schema(), ''), 0)";
const TRY = {
  shared: `SELECT pg_try_advisory_lock_shared(${KEY}) AS taken`,
  exclusive: `SELECT pg_try_advisory_lock(${KEY}) AS taken`,
};
const HOLDERS = `SELECT DISTINCT application_name AS name, host(client_addr) AS address
    FROM pg_locks JOIN pg_stat_activity USING (pid)
   WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND objsubid = 1 AND (CAST(classid AS bigint) << 32 | CAST(objid AS bigint)) = ${KEY}
     AND granted AND pid <> pg_backend_pid() ORDER BY 1`;
const MARK = `SELECT 1 FROM schema_migrations WHERE name = '${UNFINISHED_COPY}'`;

/**
 * A lock of a Postgres database: servers share it, a copy into the database has it alone. It belongs to a connection of
 * its own, with which Postgres ends it, also after `kill -9`. Nobody waits for it.
 */
export class PostgresLock {
  readonly #url: string;
  readonly #mode: keyof typeof TRY;
  readonly #onLost: () => void;
  #client: pg.Client | null = null;
  #isReleased = false;

  /** @param onLost the connection broke, and the lock went with it */
  constructor(url: string, mode: keyof typeof TRY, onLost: () => void = () => undefined) {
    this.#url = url;
    this.#mode = mode;
    this.#onLost = onLost;
  }

  /**
   * Takes the lock, and takes it anew where its connection broke since.
   *
   * @returns false while somebody else has it
   * @throws DatabaseUnavailable
   */
  async take(): Promise<boolean> {
    if (this.#client !== null) {
      const taken = await this.#try(this.#client).catch(() => this.#drop());
      if (taken !== null) return taken;
    }
    try {
      return await this.#try(await this.#connected());
    } catch (error) {
      const message = `cannot lock ${maskUrlPassword(this.#url)}: ${(error as Error).message}`;
      throw new DatabaseUnavailable(message, { cause: error });
    }
  }

  /** Others who have it. */
  async holders(): Promise<OtherSession[]> {
    const { rows } = await (await this.#connected()).query<{ name: string; address: string | null }>(HOLDERS);
    return rows.map(sessionOf);
  }

  /** Whether a copy has begun to write into the database. */
  async isOverwritten(): Promise<boolean> {
    return (await (await this.#connected()).query(MARK)).rows.length > 0;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#drop();
  }

  async #try(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ taken: boolean }>(TRY[this.#mode]);
    return rows[0]?.taken === true;
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client;
    const client = new pg.Client({
      connectionString: withSession(this.#url, SESSION),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    const lost = (): void => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#onLost();
    };
    // Without a listener a connection that breaks would end the process (M24).
    client.on('error', lost);
    client.on('end', lost);
    await client.connect();
    this.#client = client;
    if (!this.#isReleased) return client;
    await this.#drop();
    throw new Error('the lock was released meanwhile');
  }

  async #drop(): Promise<null> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
    return null;
  }
}

const RETRY_MS = 2000;

/**
 * Keeps a server's part in the lock: it is taken anew after its connection broke. Where a copy was faster and has begun
 * to write, this server is stopped: what it keeps in memory is of another database.
 *
 * @returns null while a copy has the lock, with who that is in `holders`
 */
export async function shareLock(
  url: string,
  log: Log,
): Promise<{ taken: true; release(): Promise<void> } | { taken: false; holders: OtherSession[] }> {
  let isReleased = false;
  let isRetaking = false;
  const retake = async (): Promise<void> => {
    log.warn('the connection that keeps copies away from the database broke, and is made again');
    for (;;) {
      await sleep(RETRY_MS);
      if (isReleased) return;
      try {
        if (await lock.take()) return;
        if (!(await lock.isOverwritten())) continue;
      } catch (error) {
        log.debug({ err: error }, 'the database is not there yet');
        continue;
      }
      log.fatal('a copy (appctl db copy) is written into the database of this server, which stops');
      process.kill(process.pid, 'SIGTERM');
      return;
    }
  };
  const lock = new PostgresLock(url, 'shared', () => {
    if (isReleased || isRetaking) return;
    isRetaking = true;
    void retake().finally(() => {
      isRetaking = false;
    });
  });
  const release = async (): Promise<void> => {
    isReleased = true;
    await lock.release();
  };
  try {
    if (await lock.take()) return { taken: true, release };
    const holders = await lock.holders();
    await release();
    return { taken: false, holders };
  } catch (error) {
    await release();
    throw error;
  }
}
