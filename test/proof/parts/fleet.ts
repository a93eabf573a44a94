// One server or several of one installation, which clients see as one.
import { type Answer, type Ask, type Client, createClient, parallel } from './client.ts';
import { type Launch, type RunningServer, startServer } from './processes.ts';
import type { Random } from './random.ts';

/** Servers that share an installation. */
export interface Fleet {
  size: number;
  /** Sends requests side by side, each to one of the servers. */
  shoot(asks: readonly Ask[]): Promise<Answer[]>;
  /** Sends one request to every server. */
  shootEach(ask: Ask): Promise<Answer[]>;
  /** Stops all in order and starts as many again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const AT_ONCE = 32;

/**
 * Starts the servers of a fleet, one after the other: the first one makes the database.
 *
 * @param options.args words after `serve`
 * @param options.ready waited for after each start
 */
export async function startFleet(
  launch: Launch,
  size: number,
  random: Random,
  { args = [], ready }: { args?: readonly string[]; ready?: () => Promise<void> } = {},
): Promise<Fleet> {
  let servers: RunningServer[] = [];
  let clients: Client[] = [];
  const start = async (): Promise<void> => {
    for (let i = 0; i < size; i++) servers.push(await startServer(launch, args));
    await ready?.();
    clients = servers.map(({ url }) => createClient(url, AT_ONCE));
  };
  const stop = async (): Promise<void> => {
    for (const client of clients) client.close();
    const codes = await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    const wrong = codes.find((code) => code !== 0);
    if (wrong !== undefined) throw new Error(`a server that was asked to end ended with ${wrong}`);
  };
  await start();
  return {
    size,
    shoot: (asks) =>
      parallel(
        asks.map((ask) => () => (clients[random.below(clients.length)] as Client).ask(ask)),
        AT_ONCE,
      ),
    shootEach: (ask) => Promise.all(clients.map((client) => client.ask(ask))),
    async restart() {
      await stop();
      await start();
    },
    stop,
  };
}
