import type { Ctx } from '#kernel/context.ts';
import type { JobView as Job } from '#kernel/jobs/job-view.ts';
import type { KeptRun } from '#kernel/jobs/runs/record.ts';
import type { Scheduler } from '#kernel/jobs/scheduler.ts';
import { schedulerOf } from '#kernel/jobs/scheduler-in-force.ts';
import type { Task } from '#kernel/jobs/task.ts';
import { ANY_STAFF, action, adminResource, answering, requireWholeInstallation } from '../admin/index.ts';
import { jobRows, recentDurations, runRows, taskRows } from './queries.ts';
import { RunBody, ScheduleBody } from './schemas.ts';
import { jobRunScreen, jobScreen, taskScreen } from './screen.ts';
import { cancel, getTask } from './tasks.ts';
import { JobView, KeptRunView, keptRunView, RunAsked, runAsked, TaskView } from './view.ts';

/** Jobs work for every tenant. */
const office = (ctx: Ctx): Scheduler => {
  requireWholeInstallation(ctx);
  return schedulerOf(ctx);
};

/** Those who look after licenses see the jobs too, and run them (licensing 4.2); the rest is the system's (admin.md 6.1). */
const needs = { read: 'system:read', orRead: 'licensing:read', write: 'system:write' } as const;

/** Recurring work of the whole installation, for its staff (licensing 4.2, Jobs). */
export const jobResource = adminResource<Job>({
  name: 'jobs',
  labels: { one: 'job', many: 'jobs' },
  about: 'Recurring work and its results',
  needs,
  screen: jobScreen,
  rows: jobRows,
  get: (ctx, name) => office(ctx).find(ctx, name),
  actions: {
    run: answering<Job, typeof RunAsked, typeof RunBody>({
      label: 'Run',
      summary: 'Run a job now and show the result; with wait=false, answer once it has started',
      needs: 'system:write',
      or: 'licensing:write',
      level: 'mild',
      where: 'row',
      input: RunBody,
      output: RunAsked,
      rehearsable: false,
      async run(ctx, asked, { wait = true }) {
        const jobs = office(ctx);
        const { name } = await jobs.find(ctx, asked);
        return runAsked(name, await (wait ? jobs.run(ctx, name, true) : jobs.start(ctx, name)));
      },
    }),
    pause: action<Job>({
      label: 'Pause',
      summary: 'Pause a job; it can still be run by hand',
      needs: 'system:write',
      level: 'mild',
      where: 'both',
      when: ({ enabled }) => enabled,
      run: (ctx, name) => office(ctx).pause(ctx, name),
    }),
    resume: action<Job>({
      label: 'Resume',
      summary: 'Resume a paused job',
      needs: 'system:write',
      level: 'mild',
      where: 'both',
      when: ({ enabled }) => !enabled,
      run: (ctx, name) => office(ctx).resume(ctx, name),
    }),
    schedule: action<Job, typeof ScheduleBody>({
      label: 'Schedule',
      summary: "Set a job's schedule to five cron fields, or back to its default interval",
      needs: 'system:write',
      level: 'mild',
      where: 'row',
      input: ScheduleBody,
      run: (ctx, name, { schedule }) => office(ctx).reschedule(ctx, name, schedule),
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/jobs',
      key: 'name',
      item: 'job',
      view: JobView,
      async toViews(jobs, ctx) {
        const recent = await recentDurations(
          ctx,
          jobs.map(({ name }) => name),
        );
        return jobs.map((job) => ({ ...job, recentMs: [...(recent.get(job.name) ?? [])] }));
      },
      summaries: { get: 'Show one job: its schedule and its last run' },
    },
  ],
});

/** What jobs did, for whoever may see them. */
export const jobRunResource = adminResource<KeptRun>({
  name: 'job-runs',
  labels: { one: 'run', many: 'runs of a job' },
  about: 'Recurring work and its results',
  needs,
  screen: jobRunScreen,
  rows: runRows,
  apis: [
    {
      surface: 'license-admin',
      path: '/jobs/{name}/runs',
      parent: {
        name: 'name',
        filter: 'job',
        find: async (ctx, name) => (await office(ctx).find(ctx, name)).name,
      },
      item: 'run',
      type: 'JobRun',
      view: KeptRunView,
      toView: keptRunView,
      without: ['get'],
      summaries: {
        list: 'List the runs of a job that someone started, that failed or that changed something, newest first',
      },
    },
  ],
});

/** One-off work such as imports and bulk runs, for those who began it and for who looks after the system. */
export const taskResource = adminResource<Task>({
  name: 'tasks',
  labels: { one: 'task', many: 'tasks' },
  about: 'One-off work such as imports and bulk runs, with its progress',
  needs: { read: ANY_STAFF },
  screen: taskScreen,
  rows: taskRows,
  get: getTask,
  actions: {
    cancel: action<Task>({
      label: 'Cancel',
      summary: 'Stop a running task after the current step; finished work stays',
      needs: ANY_STAFF,
      level: 'moderate',
      where: 'row',
      when: ({ status }) => status === 'RUNNING',
      run: cancel,
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/tasks',
      item: 'task',
      view: TaskView,
      toView: ({ actorId: _, ...task }) => task,
      summaries: {
        get: 'Show one task: its progress, its report and its refused rows',
      },
    },
  ],
});
