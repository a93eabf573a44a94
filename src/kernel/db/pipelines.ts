import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';

/**
 * Sends the reads of many requests down a few connections without waiting for answers in between: one system call
 * then carries the queries, and one the answers, of all requests of a moment (decision 0011). Only for compiled
 * statements outside of transactions: they are short, and one slow query would hold up those behind it.
 */
export class Pipelines {
  static readonly CONNECTIONS = 2;
  readonly #pool: Pool;
  readonly #connections: (Promise<PoolClient> | undefined)[] = new Array(Pipelines.CONNECTIONS);
  #next = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async query(config: QueryConfig): Promise<QueryResult> {
    this.#next = (this.#next + 1) % Pipelines.CONNECTIONS;
    const client = await (this.#connections[this.#next] ??= this.#open(this.#next));
    return client.query(config);
  }

  /** Hands the connections back, so that the pool can end. */
  async close(): Promise<void> {
    for (const opening of this.#connections.splice(0)) {
      const client = await opening?.catch(() => undefined);
      client?.release();
    }
  }

  /** A connection that breaks, or cannot be opened, is forgotten; the next query opens another. */
  async #open(slot: number): Promise<PoolClient> {
    const forget = () => {
      this.#connections[slot] = undefined;
    };
    try {
      const client = await this.#pool.connect();
      client.once('error', (error) => {
        forget();
        client.release(error);
      });
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
