import type { Log } from '#kernel/log.ts';
import { exits } from '../frame/exits.ts';

/**
 * Waits for the signal that ends a server (cli.md section 1.10): SIGTERM or SIGINT. A second SIGINT ends the process
 * at once with 130. SIGHUP calls `reload`, SIGUSR1 `backUp`, whose failures are logged and change nothing.
 *
 * @returns the name of the signal
 */
export function untilSignal({
  log,
  reload,
  backUp,
}: {
  log: Log;
  reload(): Promise<void>;
  backUp(): Promise<unknown>;
}): Promise<NodeJS.Signals> {
  process.on('SIGUSR1', () => {
    backUp().catch((error: unknown) => log.error({ err: error }, 'the backup was not started'));
  });
  process.on('SIGHUP', () => {
    reload().catch((error: unknown) => log.error({ err: error }, 'the configuration was not reloaded'));
  });
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (signal: NodeJS.Signals) => {
      if (stopping && signal === 'SIGINT') process.exit(exits.interrupted);
      stopping = true;
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
