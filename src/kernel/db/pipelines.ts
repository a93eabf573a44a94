import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { turnOf } from './pool.ts';

interface Connection {
  client: PoolClient;
  giveBack(error?: Error): void;
}

/**
 * Sends the reads of many requests down a few connections without waiting for answers in between: one system call
 * then carries the queries, and one the answers, of all requests of a moment (decision 0011). Only for compiled
 * statements outside of transactions: they are short, and one slow query would hold up those behind it.
 */
export class Pipelines {
  static readonly CONNECTIONS = 2;
  readonly #pool: Pool;
  readonly #connections: (Promise<Connection> | undefined)[] = new Array(Pipelines.CONNECTIONS);
  #next = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async query(config: QueryConfig): Promise<QueryResult> {
    this.#next = (this.#next + 1) % Pipelines.CONNECTIONS;
    this.#connections[this.#next] ??= this.#open(this.#next);
    const { client } = await (this.#connections[this.#next] as Promise<Connection>);
    return client.query(config);
  }

  /** Hands the connections back, so that the pool can end. */
  async close(): Promise<void> {
    for (const opening of this.#connections.splice(0)) {
      const connection = await opening?.catch(() => undefined);
      connection?.giveBack();
    }
  }

  /** A connection that breaks, or cannot be opened, is forgotten; the next query opens another. */
  async #open(slot: number): Promise<Connection> {
    const forget = () => {
      this.#connections[slot] = undefined;
    };
    try {
      const client = await turnOf(this.#pool);
      let isHeld = true;
      // A connection may break while it is given back: the pool takes it once only.
      const giveBack = (error?: Error) => {
        if (isHeld) client.release(error);
        isHeld = false;
      };
      client.once('error', (error) => {
        forget();
        giveBack(error);
      });
      return { client, giveBack };
    } catch (error) {
      forget();
      throw error;
    }
  }
}
