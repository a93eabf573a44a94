import { command, screen } from '../admin/index.ts';
import { shownReport } from './report.ts';
import { JobView, KeptRunView, TaskView } from './view.ts';

/** Jobs in the panel (admin.md 5.6). */
export const jobScreen = screen(JobView, {
  path: '/admin/system/jobs',
  words: 'cron schedule background',
  area: 'system',
  order: 70,
  title: ({ name }) => name,
  columns: {
    name: {},
    state: {},
    schedule: {},
    lastRunAt: { label: 'Last run', sort: 'lastRun' },
    lastStatus: { label: 'Ended' },
    lastMs: { label: 'Took (ms)' },
    recentMs: { label: 'Recent runs (ms)', kind: 'spark' },
    nextRunAt: { label: 'Next run', sort: 'nextRun' },
  },
  facts: {
    description: {},
    state: {},
    schedule: {},
    lastRunAt: { label: 'Last run' },
    lastStatus: { label: 'Ended' },
    lastMs: { label: 'Took (ms)' },
    recentMs: { label: 'Recent runs (ms)', kind: 'spark' },
    lastResult: { label: 'Did' },
    lastError: { label: 'Error' },
    nextRunAt: { label: 'Next run' },
    pausedAt: {},
    pausedBy: {},
  },
  tabs: { runs: { label: 'Runs', of: 'job-runs', named: ({ name }) => ({ name }) } },
  fields: {
    schedule: { help: 'Five cron fields, such as 0 3 * * *. Leave empty for the default interval.' },
    wait: { label: 'Wait until it is done' },
  },
  initial: { wait: 'true' },
  undo: { pause: 'resume', resume: 'pause' },
  commands: { run: command('jobs run'), pause: command('jobs pause'), resume: command('jobs resume') },
  empty: { text: 'Jobs are recurring work of the server.', docs: 'check-a-server', cli: 'appctl jobs list' },
});

/** What one job did, below it. */
export const jobRunScreen = screen(KeptRunView, {
  path: '/admin/system/jobs/{name}/runs',
  area: 'system',
  title: ({ id }) => id,
  columns: {
    startedAt: { label: 'Started', kind: 'date', sort: 'started' },
    status: {},
    ms: { label: 'Took (ms)' },
    startedBy: {},
    result: {},
    error: {},
  },
  empty: {
    text: 'Runs that someone started, that failed or that changed something appear here.',
    docs: 'check-a-server',
    cli: null,
  },
});

/** Imports, exports and bulk runs in the panel. */
export const taskScreen = screen(TaskView, {
  path: '/admin/tasks',
  area: 'system',
  order: 80,
  title: ({ kind }) => kind,
  columns: {
    kind: {},
    status: {},
    progress: { kind: 'meter', value: ({ done, total }) => [done, total] },
    startedBy: {},
    startedAt: { label: 'Started', sort: 'started' },
    finishedAt: { label: 'Finished', sort: 'finished' },
  },
  facts: {
    kind: {},
    status: {},
    progress: { kind: 'meter', value: ({ done, total }) => [done, total] },
    error: {},
    startedBy: {},
    startedAt: { label: 'Started', kind: 'date' },
    finishedAt: { label: 'Finished', kind: 'date' },
    params: { label: 'Started by hand' },
    id: {},
  },
  tabs: {
    report: {
      label: 'Report',
      template: 'platform/task-report',
      load: async (_ctx, { id, status, done, total, report }) => ({
        isRunning: status === 'RUNNING',
        status: status.toLowerCase(),
        href: `/admin/tasks/${encodeURIComponent(id)}?tab=report`,
        done: done.toLocaleString('en'),
        total: total === null ? null : total.toLocaleString('en'),
        ...shownReport(report),
      }),
    },
  },
  empty: {
    text: 'Imports, exports and changes of many rows run as tasks, with their progress and a report.',
    docs: 'check-a-server',
    cli: 'appctl jobs tasks',
  },
});
