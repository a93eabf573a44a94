import type { Job } from '../capability.ts';
import { addSeconds } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { jobEvents } from './events.ts';
import * as repo from './repository.ts';
import { nextRun } from './schedule.ts';

/** Clocks of two processes may differ by this much before what one of them wrote is taken for a mistake. */
export const TOLERANCE_SECONDS = 60;
/** What runs more often keeps promises that are counted in minutes. */
const SHORTEST_TO_SCHEDULE = 3600;
const ANY_TIME = '9999-12-31T23:59:59.999Z';

/** Cron expressions of jobs that the configuration gives, by their names; null for a job that rests. */
export type Schedules = Readonly<Record<string, string | null>>;

/** When jobs run next: by their interval, or by the cron expression that an operator or the configuration gave them. */
export interface Timing {
  readonly timeZone: string;
  /** What the configuration says of a job; undefined for nothing. */
  configured(name: string): string | null | undefined;
  /** When a job is due that never ran. */
  first(now: string, job: Job): Promise<string>;
  /** The next run of a job that is left alone from now on. @param schedule cron expression; null for its interval */
  next(now: string, job: Job, schedule: string | null): Promise<string>;
  /**
   * A job with an interval is due no later than this by a right clock: one that is was put off by a clock that has been
   * set back since (M20). Those with a schedule are put right by `settle`.
   */
  dueAtLatest(now: string, job: Job, schedule: string | null): string;
  /** Puts right the next runs of jobs with a schedule that a wrong clock or another time zone has put too far away. */
  settle(ctx: Ctx, rows: readonly repo.FreeJob[], byName: ReadonlyMap<string, Job>): Promise<void>;
}

/** @param timeZone IANA name, in which cron expressions are meant; @param schedules those of the configuration */
export function createTiming(timeZone: string, schedules: Schedules = {}): Timing {
  const known = new Map<string, { from: string; next: string }>();
  // Asked each second: between two runs the answer stays.
  const nextOf = async (expression: string, after: string): Promise<string> => {
    const found = known.get(expression);
    if (found && found.from <= after && after < found.next) return found.next;
    const next = await nextRun({ expression, timeZone }, after);
    known.set(expression, { from: after, next });
    return next;
  };
  // What an operator gave goes first.
  const scheduleOf = (name: string, given: string | null): string | null | undefined =>
    given ?? schedules[name];
  const next: Timing['next'] = async (now, { name, everySeconds }, given) => {
    const schedule = scheduleOf(name, given);
    if (schedule === undefined) return addSeconds(now, everySeconds);
    return schedule === null ? ANY_TIME : nextOf(schedule, now);
  };
  return {
    timeZone,
    configured: (name) => schedules[name],
    first: async (now, job) => (schedules[job.name] === undefined ? now : next(now, job, null)),
    next,
    dueAtLatest: (now, { name, everySeconds }, given) =>
      scheduleOf(name, given) === undefined ? addSeconds(now, everySeconds + TOLERANCE_SECONDS) : ANY_TIME,
    async settle(ctx, rows, byName) {
      const now = ctx.now();
      for (const { name, nextDue, schedule } of rows) {
        const job = byName.get(name);
        if (!job || scheduleOf(name, schedule) === undefined) continue;
        // Up to an interval away it waits: after a time without a server, or a step of the clock.
        const rests = scheduleOf(name, schedule) === null;
        if (!rests && nextDue <= addSeconds(now, job.everySeconds)) continue;
        const due = await next(now, job, schedule);
        if (rests ? nextDue !== due : nextDue > due) await ctx.tx((ctx) => repo.postpone(ctx, name, due));
      }
    },
  };
}

/**
 * Gives a job a cron expression, or its own interval again.
 *
 * @param expression five fields; null for the interval
 * @returns the next run, ISO 8601 UTC
 * @throws AppError VALIDATION_ERROR for an expression that is wrong, CONFLICT for a job that takes none
 */
export async function reschedule(
  ctx: Ctx,
  job: Job,
  expression: string | null,
  timing: Timing,
): Promise<string> {
  if (expression !== null && !takesSchedule(job)) throw tooOften(job);
  const nextDue = await timing.next(ctx.now(), job, expression);
  await ctx.tx(async (ctx) => {
    await repo.lockJob(ctx, job.name);
    const schedule = await repo.findSchedule(ctx, job.name);
    await repo.reschedule(ctx, job.name, { schedule: expression, nextDue });
    const sides = { before: { schedule }, after: { schedule: expression } };
    await jobEvents.tell(ctx, 'JOB_RESCHEDULED', job.name, { schedule: expression }, sides);
  });
  return nextDue;
}

/** Whether an operator may give it a schedule. */
const takesSchedule = ({ everySeconds, everyProcess }: Job): boolean =>
  everySeconds >= SHORTEST_TO_SCHEDULE && !everyProcess;

const tooOften = ({ name, everySeconds }: Job): AppError =>
  new AppError('CONFLICT', 409, `${name} must run every ${everySeconds} s and cannot have a schedule`, {
    details: { hint: 'appctl jobs list shows the jobs; only hourly and daily jobs can have one' },
  });
