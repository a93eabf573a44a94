import { hostname } from 'node:os';
import type { Job } from '#kernel/capability.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Metrics } from '#kernel/http/metrics.ts';
import { createScheduler, type Scheduler } from '#kernel/jobs/scheduler.ts';
import { schedulerInForce } from '#kernel/jobs/scheduler-in-force.ts';
import { createTicker } from '#kernel/jobs/ticker.ts';
import type { OutboxWorker } from '#kernel/outbox/worker.ts';
import { refreshSubscriptions } from '#platform/webhooks/index.ts';
import type { Instance } from './instance.ts';

/** What a serving process does every second beside its requests. */
export interface Background {
  readonly scheduler: Scheduler;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** The parts of an opened installation that are asked for each second. */
type Serving = Pick<Instance, 'ctx' | 'clock' | 'settings'> & {
  readonly config: Pick<Config, 'jobs' | 'backup'>;
};

/** @param rest jobs of the program, who counts their runs, and who sends events after a step of the clock */
export function startBackground(
  { config, ctx, clock, settings }: Serving,
  rest: {
    jobs: readonly Job[];
    metrics: Metrics | null;
    outbox: Pick<OutboxWorker, 'rescue'>;
    /** Whether jobs that are due are begun here now; always when left out. */
    mayRun?: () => boolean;
  },
): Background {
  const { jobs, metrics, outbox, mayRun = () => true } = rest;
  const scheduler = createScheduler(jobs, `${hostname()}:${process.pid}`, {
    timeZone: config.jobs.timeZone,
    schedules: { backup: config.backup.schedule },
    // What somebody asked for runs as what is due does, and not as part of a request.
    root: ctx,
    onRun: (run) => metrics?.job(run.name, run.status, run.ms / 1000),
  });
  ctx.memory.of(schedulerInForce).scheduler = scheduler;
  const ticker = createTicker({
    clock,
    log: ctx.log,
    tick: async (steppedMs) => {
      if (config.jobs.enabled && mayRun()) await scheduler.startDue(ctx, steppedMs);
    },
    beside: [
      // A changed setting takes effect within two seconds, whatever else takes long.
      () => settings.refresh(ctx).then(() => undefined),
      // Also where jobs are left to other processes: nobody else can write what waits in this one's memory, which is
      // bounded and must not fill up while a job takes minutes.
      () => scheduler.runOwnDue(ctx),
      // Nor may a new receiver of read-only calls wait so long.
      () => refreshSubscriptions(ctx),
    ],
    onClockStep: () => {
      metrics?.clockStep();
      if (config.jobs.enabled && mayRun()) void outbox.rescue();
    },
  });
  const prepared = scheduler
    .prepare(ctx)
    .catch((error: unknown) => ctx.log.error({ err: error }, 'jobs could not be prepared'))
    .then(() => ticker.start());
  const stop = async (): Promise<void> => {
    await prepared;
    await ticker.stop();
    await scheduler.stop();
  };
  return { scheduler, stop };
}
