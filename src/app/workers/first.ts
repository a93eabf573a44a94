import { buildInfo } from '#kernel/build-info.ts';
import type { Config } from '#kernel/config/config.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import { guessOrders } from '#kernel/http/asked-failures.ts';
import type { CommonLimits } from '#kernel/http/common-windows.ts';
import type { Place } from '#kernel/http/inherited-sockets.ts';
import type { Metrics } from '#kernel/http/metrics.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import type { Certificate } from '#kernel/http/server.ts';
import type { OwnFigures } from '#kernel/http/summed-metrics.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { outboxBell } from '#kernel/outbox/bell.ts';
import type { ServerLog } from '#kernel/server-log.ts';
import type { Instance } from '../instance.ts';
import type { Listening } from '../listening.ts';
import type { ServerStatus } from '../server-report.ts';
import { Crew, type Worker } from './crew.ts';
import type { Changing, FirstOrders } from './orders.ts';

/** What the first process of a server has that the others need. */
export interface First {
  readonly instance: Pick<Instance, 'ctx'> & { readonly config: Config };
  readonly loaded: LoadedConfig;
  /** The certificate that is shown now. */
  tls(): Certificate | undefined;
  readonly listening: Pick<Listening, 'sockets' | 'isComplete' | 'places'>;
  readonly http: HttpRuntime;
  readonly metrics: Metrics | null;
  readonly common: CommonLimits | null;
  readonly serverLog: ServerLog;
  status(): ServerStatus;
  blocked(): Changing['blocked'];
  onEnd(figures: OwnFigures): void;
}

/** After the requests, a process ends its jobs and writes what waits in its memory, as the others do at the same time. */
const MORE_MS = 20_000;

/**
 * Starts the other processes of a server, which sends, schedules and writes the log for them.
 *
 * @returns `complete` resolves when each of them serves, or has failed to for the first time
 */
export function startCrew(first: First): { crew: Crew; complete: Promise<void> } {
  const { instance, listening, http, serverLog } = first;
  const { ctx, config } = instance;
  const others = othersOf(ctx);
  const crew: Crew = new Crew({
    count: config.workers - 1,
    log: ctx.log,
    graceMs: config.http.shutdownGraceSeconds * 1000 + MORE_MS,
    sockets: listening.sockets.map(({ fd }) => fd),
    beginning: (fds) => ({
      build: buildInfo(),
      loaded: first.loaded,
      tls: certificateOf(first),
      places: listening.places.map((place, i): Place => ({ ...place, fd: fds[i] as number })),
      isComplete: listening.isComplete,
      limits: first.common?.state() ?? null,
      server: { pid: first.status().pid, startedAt: first.status().startedAt },
      processes: crew.processes,
    }),
    changing: () => ({
      isResting: http.state.isResting,
      level: serverLog.log.level as Changing['level'],
      blocked: first.blocked(),
    }),
    ordersOf: (worker) => ordersFor(first, crew, worker),
    onEnd: first.onEnd,
    onChange(processes) {
      others.processes = processes;
      crew.tell('processes', processes);
    },
  });
  others.processes = crew.processes;
  serverLog.onLines((lines) => crew.show(lines));
  others.connect((name, news) => crew.tell('news', { name, news }));
  return { crew, complete: crew.begin() };
}

/** Without what answers a certificate authority, which cannot be sent. */
function certificateOf({ tls }: First): Certificate | undefined {
  const shown = tls();
  return shown && { cert: shown.cert, key: shown.key };
}

function ordersFor({ instance, http, metrics, serverLog }: First, crew: Crew, worker: Worker): FirstOrders {
  const { ctx } = instance;
  return {
    ...guessOrders(http.failures),
    live: () => undefined,
    ring: () => ctx.memory.of(outboxBell).ring(),
    wrote: (lines) => {
      serverLog.take(lines);
      crew.show(lines, worker);
    },
    news: ({ name, news }) => {
      othersOf(ctx).hear(name, news);
      crew.tell('news', { name, news }, worker);
    },
    async metrics() {
      if (metrics === null) throw new Error('metrics are off');
      return metrics.text();
    },
  };
}
