/** Objects of the admin API about jobs and tasks (the names are those of cli.md section 2). */

import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { JOB_STATES } from '#kernel/jobs/job-view.ts';
import { RUN_STATUSES } from '#kernel/jobs/run.ts';
import { jobRunRecord, type KeptRun, RunCounts } from '#kernel/jobs/runs/record.ts';
import type { Run } from '#kernel/jobs/scheduler.ts';
import { TASK_STATUSES } from '#kernel/jobs/task.ts';
import { storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';

/** A job, what it did last, and when it runs next. */
export const JobView = later(() =>
  z
    .object({
      name: z.string(),
      description: z.string(),
      schedule: z.string(),
      state: z.enum(JOB_STATES),
      enabled: z.boolean(),
      running: z.boolean(),
      lastRunAt: instant().nullable(),
      lastStatus: z.enum(RUN_STATUSES).nullable(),
      lastMs: count().nullable(),
      lastResult: RunCounts.nullable(),
      lastError: z.string().nullable(),
      nextRunAt: instant().nullable(),
      pausedAt: instant().nullable(),
      pausedBy: z.string().nullable(),
      recentMs: z
        .array(count())
        .describe(
          'Duration of recent runs in milliseconds, oldest first; runs that changed nothing are not kept',
        ),
    })
    .meta({ id: 'Job' }),
);

/** A run in the history of its job. */
export const KeptRunView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      ...storedView(jobRunRecord, ['startedAt', 'endedAt', 'ms', 'status', 'result', 'error', 'startedBy'])
        .shape,
    })
    .meta({ id: 'JobRun' }),
);

export const keptRunView = ({ id, job, ...run }: KeptRun): z.output<typeof KeptRunView> => ({
  id,
  name: job,
  ...run,
});

/** How a run ended that was waited for. */
export const RunView = later(() =>
  KeptRunView.omit({ id: true }).extend({ error: z.string().optional() }).meta({ id: 'JobRunEnded' }),
);

/** What asking for a run answers; `run` is null when nobody waits for its end. */
export const RunAsked = later(() =>
  z
    .object({ name: z.string(), started: z.literal(true), run: RunView.nullable() })
    .meta({ id: 'JobRunAsked' }),
);

/** @param run null when nobody waits for its end */
export const runAsked = (name: string, run: Run | null): z.output<typeof RunAsked> => ({
  name,
  started: true,
  run,
});

/** One-off work: how far it is, and its report when it has ended. */
export const TaskView = later(() =>
  z
    .object({
      id: z.string(),
      kind: z.string(),
      status: z.enum(TASK_STATUSES),
      startedBy: z.string(),
      params: z.record(z.string(), z.unknown()),
      done: count(),
      total: count().nullable(),
      cancelAsked: z.boolean(),
      report: z.record(z.string(), z.unknown()).nullable(),
      error: z.string().nullable(),
      startedAt: instant(),
      finishedAt: instant().nullable(),
    })
    .meta({ id: 'Task' }),
);
