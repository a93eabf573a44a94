import type { BuildInfo } from '#kernel/build-info.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import type { GuessOrders } from '#kernel/http/asked-failures.ts';
import type { CommonState } from '#kernel/http/common-windows.ts';
import type { Place } from '#kernel/http/inherited-sockets.ts';
import type { MetricsText } from '#kernel/http/metrics.ts';
import type { Certificate } from '#kernel/http/server.ts';
import type { OwnFigures } from '#kernel/http/summed-metrics.ts';
import type { ServerProcesses } from '#kernel/other-processes.ts';
import type { ServerStatus } from '../server-report.ts';

/** So soon a process has ended whose first process was killed: nobody keeps the database for it any more. */
export const ORPHAN_MS = 2000;

/** What may change while a process begins. */
export interface Changing {
  readonly isResting: boolean;
  readonly level: LoadedConfig['config']['log']['level'];
  /** Addresses that guess, and for how many seconds they may not. */
  readonly blocked: readonly Blocked[];
}

interface Blocked {
  readonly address: string;
  readonly seconds: number;
}

/** What a process begins to serve with: nothing of it is read anew, so that all of them serve the same. */
export interface Beginning {
  /** Another version must not serve with what it is told by this one. */
  readonly build: BuildInfo;
  readonly loaded: LoadedConfig;
  readonly tls: Certificate | undefined;
  readonly places: readonly Place[];
  readonly isComplete: boolean;
  /** What is counted of limits, to go on with; null where a store counts. */
  readonly limits: CommonState | null;
  /** The first process: answers about the server name it. */
  readonly server: Pick<ServerStatus, 'pid' | 'startedAt'>;
  readonly processes: ServerProcesses;
}

/** News that capabilities of one process have for those of the others. */
export interface News {
  readonly name: string;
  readonly news: unknown;
}

/** What the first process of a server orders of each other one. */
export type WorkerOrders = {
  begin(beginning: Beginning): Promise<void>;
  /** It serves: what changed meanwhile. */
  catchUp(changing: Changing): void;
  /** Answered by one that is not stuck. */
  live(input: null): void;
  rest(isResting: boolean): void;
  /** The configuration was reloaded. */
  reload(level: Changing['level']): Promise<void>;
  blocked(guesser: Blocked): void;
  /** The other processes wrote lines of the log. */
  lines(lines: readonly string[]): void;
  news(news: News): void;
  /** One of them began to serve, or ended. */
  processes(processes: ServerProcesses): void;
  figures(input: null): Promise<OwnFigures | null>;
  /** Writes what waits in its memory. */
  flush(input: null): Promise<void>;
  /** Serves no new connection, finishes open requests and writes what waits in memory; it ends by itself then. */
  stop(input: null): Promise<void>;
};

/** What it does for them. */
export type FirstOrders = GuessOrders & {
  /** Answered as long as it is not stuck. */
  live(input: null): void;
  /** A commit left something to send. */
  ring(input: null): void;
  wrote(lines: readonly string[]): void;
  news(news: News): void;
  metrics(input: null): Promise<MetricsText>;
};
