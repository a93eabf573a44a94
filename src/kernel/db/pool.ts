import pg, { type Pool, type PoolClient, type PoolConfig } from 'pg';

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

/** A pool whose connections are asked for with `turnOf`. @param turnMs how long somebody waits for one that is free */
export const openPool = (config: PoolConfig, turnMs = TURN_TIMEOUT_MS): Pool =>
  new pg.Pool({ ...config, Client: SoonConnected, connectionTimeoutMillis: turnMs });

/** The pool's own error says neither what was waited for nor what cures it, and has no code that tells it from a bug. */
const TURN_IS_OVER = 'timeout exceeded when trying to connect';

/**
 * A connection of the pool.
 *
 * @throws Error with the code ETIMEDOUT when none came free in time; as the driver does when the server is away
 */
export async function turnOf(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    if ((error as Error).message !== TURN_IS_OVER) throw error;
    const seconds = Number(pool.options.connectionTimeoutMillis) / 1000;
    const message = `all connections to the database were in use for ${seconds} s; raise database.pool (APPCTL_DATABASE_POOL)`;
    throw Object.assign(new Error(message, { cause: error }), { code: 'ETIMEDOUT' });
  }
}
