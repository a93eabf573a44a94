import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Pool, type PoolClient, type PoolConfig } from 'pg';
import { NoTurn } from './database.ts';
import { type Ask, SilenceWatch } from './silence.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** Set on every connection (reliability M2). */
export const STATEMENT_TIMEOUT_MS = 10_000;
/**
 * How long somebody waits for one of the pool's connections. Whoever has one may wait 10 s for a statement: fifty writers who
 * queue for one lock on a busy machine are slow, and none of them has failed.
 */
export const TURN_TIMEOUT_MS = 15_000;

/** The driver has one time for both, its turn and the connection: a server that does not answer is known to be away sooner. */
class SoonConnected extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

type Told = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * A pool whose connections are asked for with `turnOf`, and given up when the database does not answer.
 *
 * @param turnMs how long somebody waits for one that is free
 */
export function openPool(config: PoolConfig, turnMs = TURN_TIMEOUT_MS): Pool {
  const watch = new SilenceWatch(askOver(config));
  class Watched extends SoonConnected {
    override connect(): Promise<pg.Client>;
    override connect(told: Told): void;
    override connect(told?: Told): Promise<pg.Client> | undefined {
      const { away } = watch;
      if (away !== null && told) {
        process.nextTick(told, away);
        return undefined;
      }
      watch.add(this);
      if (!told) return super.connect();
      super.connect(told as (error: Error) => void);
      return undefined;
    }
  }
  return new pg.Pool({ ...config, Client: Watched, connectionTimeoutMillis: turnMs });
}

/** Sessions that have sent their last answer, of those in which we wait for one. */
const WAITING = "SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state LIKE 'idle%'";

const askOver =
  (config: PoolConfig): Ask =>
  async (processes) => {
    const client = new SoonConnected({ ...config, pipeline: false });
    // Without a listener a connection that breaks would end the process (M24).
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(WAITING, [processes]);
      return rows.map(({ pid }) => pid);
    } finally {
      await client.end();
    }
  };

/** The pool's own error says neither what was waited for nor what cures it, and has no code that tells it from a bug. */
const TURN_IS_OVER = 'timeout exceeded when trying to connect';

const DISK_FULL = '53100';
/**
 * The server takes no further session: it has as many as it may, or its disk has no room for the files of one. Those that
 * are there go on.
 */
const NO_FURTHER: ReadonlySet<unknown> = new Set(['53300', DISK_FULL]);
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [25, 250];

/**
 * A connection of the pool. Where the server takes no further one, those that it has must do.
 *
 * @throws NoTurn when none came free in time; as the driver does when the server is away
 */
export async function turnOf(pool: Pool): Promise<PoolClient> {
  const turnMs = Number(pool.options.connectionTimeoutMillis);
  const untilMs = performance.now() + turnMs;
  let refusal: unknown = null;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await (refusal === null ? pool.connect() : connectUntil(pool, untilMs));
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string };
      if (message === TURN_IS_OVER) throw noTurn(turnMs, refusal ?? error);
      // One that is still being opened counts: of several that begin at once, some may be taken.
      if (!NO_FURTHER.has(code) || pool.totalCount === 0) throw error;
      refusal = error;
      if (performance.now() >= untilMs) throw noTurn(turnMs, refusal);
      await sleep(Math.min(pauseMs * (0.5 + Math.random()), untilMs - performance.now()));
    }
  }
}

/** As the pool's own, which would begin its time anew: a turn takes no longer for having been refused meanwhile. */
async function connectUntil(pool: Pool, untilMs: number): Promise<PoolClient> {
  const connecting = pool.connect();
  const over = new AbortController();
  const late = sleep(Math.max(0, untilMs - performance.now()), true, { signal: over.signal }).then(() => {
    throw new Error(TURN_IS_OVER);
  });
  try {
    return await Promise.race([connecting, late]);
  } catch (error) {
    // It may still come, for whoever is next.
    connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    throw error;
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

function noTurn(turnMs: number, cause: unknown): NoTurn {
  const { code } = cause as { code?: unknown };
  const cure = !NO_FURTHER.has(code)
    ? 'raise database.pool (APPCTL_DATABASE_POOL)'
    : code === DISK_FULL
      ? 'the disk of the database server is full'
      : 'the database server takes no further ones: raise its max_connections';
  return new NoTurn(`all connections to the database were in use for ${turnMs / 1000} s; ${cure}`, cause);
}
