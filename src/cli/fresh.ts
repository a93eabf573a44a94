import type { Config } from '#kernel/config/config.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { socketPath } from '../app/run-files.ts';
import type { Cli } from './frame/context.ts';

const PATIENCE_MS = 3000;

/**
 * Lets a server that runs on this data directory write what still waits in its memory, so that a command sees the
 * request of a moment ago. Without a server there is nothing to wait for; a server that does not answer costs
 * freshness only.
 */
export async function flushServer(cli: Cli): Promise<void> {
  const { config } = await cli.config();
  try {
    await flushServerOf(config);
  } catch (error) {
    cli.warn(`the last seconds may be missing: ${(error as Error).message}`);
  }
}

/** The same without a word to anybody. @throws what hinders the server from writing */
export const flushServerOf = (config: Config): Promise<unknown> =>
  callServer(socketPath(config), 'run-job', { name: 'stats-flush' }, PATIENCE_MS);
