import type { LoadedConfig } from '#kernel/config/load.ts';
import type { CountingOrders } from '#kernel/http/asked-limits.ts';
import type { Place } from '#kernel/http/inherited-sockets.ts';
import type { MetricsText, OwnFigures } from '#kernel/http/metrics.ts';
import type { Certificate } from '#kernel/http/server.ts';
import type { ServerStatus } from '../server-report.ts';

/** What a process begins to serve with: nothing of it is read anew, so that all of them serve the same. */
export interface Beginning {
  readonly loaded: LoadedConfig;
  readonly tls: Certificate | undefined;
  readonly places: readonly Place[];
  readonly isComplete: boolean;
  readonly isResting: boolean;
  /** The first process, as answers about the server tell of it. */
  readonly server: Pick<ServerStatus, 'pid' | 'startedAt'>;
}

/** What the first process of a server orders of each other one. */
export type WorkerOrders = {
  begin(beginning: Beginning): Promise<void>;
  rest(isResting: boolean): void;
  /** The configuration was reloaded. */
  reload(level: LoadedConfig['config']['log']['level']): Promise<void>;
  blocked(guesser: { address: string; seconds: number }): void;
  /** The other processes wrote lines of the log. */
  lines(lines: readonly string[]): void;
  figures(input: null): Promise<OwnFigures | null>;
  /** Serves no new connection, finishes open requests and writes what waits in memory; it ends by itself then. */
  stop(input: null): Promise<void>;
};

/** What it does for them. */
export type FirstOrders = CountingOrders & {
  /** A commit left something to send. */
  ring(input: null): void;
  wrote(lines: readonly string[]): void;
  metrics(input: null): Promise<MetricsText>;
};
