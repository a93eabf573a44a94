import type { Config } from '#kernel/config/config.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import { countingOrders } from '#kernel/http/asked-limits.ts';
import type { Place } from '#kernel/http/inherited-sockets.ts';
import type { Metrics } from '#kernel/http/metrics.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import type { Certificate } from '#kernel/http/server.ts';
import { outboxBell } from '#kernel/outbox/bell.ts';
import type { ServerLog } from '#kernel/server-log.ts';
import type { Instance } from '../instance.ts';
import type { Listening } from '../listening.ts';
import type { ServerStatus } from '../server-report.ts';
import { Crew, type Worker } from './crew.ts';
import type { FirstOrders } from './orders.ts';

/** What the first process of a server has that the others need. */
export interface First {
  readonly instance: Pick<Instance, 'ctx'> & { readonly config: Config };
  readonly loaded: LoadedConfig;
  readonly tls: Certificate | undefined;
  readonly listening: Pick<Listening, 'sockets' | 'isComplete' | 'places'>;
  readonly http: HttpRuntime;
  readonly metrics: Metrics | null;
  readonly serverLog: ServerLog;
  status(): ServerStatus;
}

/** After the requests, a process writes what waits in its memory. */
const MORE_MS = 3000;

/**
 * Starts the other processes of a server, which counts, sends, schedules and writes the log for them.
 *
 * @returns `complete` resolves when each of them serves, or has failed to for the first time
 */
export function startCrew(first: First): { crew: Crew; complete: Promise<void> } {
  const { instance, listening, http, serverLog } = first;
  const { ctx, config } = instance;
  const crew = new Crew({
    count: config.workers - 1,
    log: ctx.log,
    graceMs: config.http.shutdownGraceSeconds * 1000 + MORE_MS,
    sockets: listening.sockets.map(({ fd }) => fd),
    beginning: (fds) => ({
      loaded: first.loaded,
      tls: first.tls && { cert: first.tls.cert, key: first.tls.key },
      places: listening.places.map((place, i): Place => ({ ...place, fd: fds[i] as number })),
      isComplete: listening.isComplete,
      isResting: http.state.isResting,
      server: { pid: first.status().pid, startedAt: first.status().startedAt },
    }),
    ordersOf: (worker) => ordersFor(first, crew, worker),
  });
  serverLog.onLines((lines) => crew.tell('lines', lines));
  return { crew, complete: crew.begin() };
}

function ordersFor({ instance, http, metrics, serverLog }: First, crew: Crew, worker: Worker): FirstOrders {
  return {
    ...countingOrders(http),
    ring: () => instance.ctx.memory.of(outboxBell).ring(),
    wrote: (lines) => {
      serverLog.take(lines);
      crew.tell('lines', lines, worker);
    },
    async metrics() {
      if (metrics === null) throw new Error('metrics are off');
      return metrics.text();
    },
  };
}
