import type { Log } from '#kernel/log.ts';
import { exits } from '../frame/exits.ts';

/** In place of a signal: another process has taken over. */
export const SUCCEEDED = 'restart';

/** What ends a server. */
export interface Stopping {
  /** Its name, or SUCCEEDED. */
  readonly signal: Promise<string>;
  /** A successor has taken over. */
  end(): void;
}

/**
 * Waits for the signal that ends a server (cli.md section 1.10): SIGTERM or SIGINT. A second SIGINT ends the process
 * at once with 130. SIGHUP calls `reload`, SIGUSR1 `backUp`, whose failures are logged and change nothing.
 */
export function untilSignal({
  log,
  reload,
  backUp,
}: {
  log: Log;
  reload(): Promise<void>;
  backUp(): Promise<unknown>;
}): Stopping {
  process.on('SIGUSR1', () => {
    backUp().catch((error: unknown) => log.error({ err: error }, 'the backup was not started'));
  });
  process.on('SIGHUP', () => {
    reload().catch((error: unknown) => log.error({ err: error }, 'the configuration was not reloaded'));
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping && signal === 'SIGINT') process.exit(exits.interrupted);
    stopping = true;
    resolve(signal);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return { signal: promise, end: () => stop(SUCCEEDED) };
}
