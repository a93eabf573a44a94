import type { Job } from '../capability.ts';
import type { Ctx } from '../context.ts';
import { isHeld } from './lease.ts';
import type { JobRow } from './repository.ts';
import type { RUN_STATUSES } from './run.ts';
import type { Timing } from './timing.ts';

/** What a job is at this moment: `new` has never run; a paused one may be running still. */
export const JOB_STATES = ['running', 'paused', 'failed', 'ok', 'new'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A job as people see it. */
export type JobView = {
  name: string;
  description: string;
  /** `every 60 s`, or a cron expression with its time zone. */
  schedule: string;
  state: JobState;
  /** False while it is paused. */
  enabled: boolean;
  running: boolean;
  lastRunAt: string | null;
  lastStatus: (typeof RUN_STATUSES)[number] | null;
  lastMs: number | null;
  lastResult: Record<string, number> | null;
  lastError: string | null;
  /** Null while it is paused. */
  nextRunAt: string | null;
  pausedAt: string | null;
  pausedBy: string | null;
};

/** @param row of the job */
export function viewOf(
  ctx: Ctx,
  row: JobRow,
  job: Job,
  { timeZone, configured }: Pick<Timing, 'timeZone' | 'configured'>,
): JobView {
  const running = isHeld(row.lockedUntil, ctx.now());
  const lastStatus = row.lastStatus as JobView['lastStatus'];
  return {
    name: row.name,
    description: job.description,
    schedule: scheduleWords(job, row.schedule ?? configured(job.name), timeZone),
    state: running ? 'running' : row.enabled ? (lastStatus ?? 'new') : 'paused',
    enabled: row.enabled,
    running,
    lastRunAt: row.lastRunAt,
    lastStatus,
    lastMs: row.lastMs,
    lastResult: row.lastResult,
    lastError: row.lastError,
    nextRunAt: row.enabled && !(row.schedule === null && configured(job.name) === null) ? row.nextDue : null,
    pausedAt: row.pausedAt,
    pausedBy: row.pausedBy,
  };
}

function scheduleWords({ everySeconds }: Job, schedule: string | null | undefined, timeZone: string): string {
  if (schedule === undefined) return `every ${everySeconds} s`;
  return schedule === null ? 'off' : `${schedule} (${timeZone})`;
}
