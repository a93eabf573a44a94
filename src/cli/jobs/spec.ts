import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

const jobsGroup: GroupSpec = { path: 'jobs', summary: 'recurring work and one-off tasks' };

export const groups: readonly GroupSpec[] = [jobsGroup];

export const commands: readonly CommandSpec[] = [
  {
    path: 'jobs list',
    summary: 'list the jobs with their last and next runs',
    runs: ['L'],
    examples: ['appctl jobs list', "appctl jobs list --json | jq -r '.items[].name'"],
    output: () => import('./schemas.ts').then((schemas) => schemas.JobsListOutput),
    load: () => import('./list.ts').then((actions) => actions.listJobs),
  },
  {
    path: 'jobs run',
    summary: 'run a job now',
    description:
      'With --wait it runs here, after a run in progress has ended, and the answer is its outcome; stats-flush runs in the server, whose memory it writes. Without --wait a running server starts it; when no server runs it runs here.',
    args: [{ name: 'name', summary: 'job; - and _ are the same', complete: jobNames }],
    options: [{ name: 'wait', summary: 'answer when the run has ended' }],
    runs: ['L', 'S'],
    examples: [
      'appctl jobs run license-expiry --wait',
      'appctl jobs run license-expiry --wait --json | jq .result',
    ],
    confirm: 'mild',
    dryRun: false,
    exits: [3, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.JobsRunOutput),
    load: () => import('./run.ts').then((actions) => actions.runJob),
  },
  {
    path: 'jobs schedule',
    summary: 'choose the times at which a job runs',
    description:
      'A cron expression of five fields: minute, hour, day, month, weekday, in the time zone of jobs.timezone (UTC unless set). Jobs that run hourly or daily take one. A time that the change to daylight saving time leaves out does not run on that day.',
    args: [
      { name: 'name', summary: 'job; - and _ are the same', complete: jobNames },
      { name: 'schedule', summary: 'cron expression, in quotes', optional: true },
    ],
    options: [{ name: 'interval', summary: 'go back to the interval of the job' }],
    runs: ['L'],
    examples: ['appctl jobs schedule retention "30 3 * * *"', 'appctl jobs schedule retention --interval'],
    confirm: 'mild',
    dryRun: false,
    exits: [3, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.JobsScheduleOutput),
    load: () => import('./schedule.ts').then((actions) => actions.scheduleJob),
  },
  {
    path: 'jobs tasks',
    summary: 'list one-off tasks, such as imports, with their progress',
    description: 'The 100 newest of the tenant. Tasks that have ended are kept for 30 days.',
    runs: ['L'],
    examples: ['appctl jobs tasks', "appctl jobs tasks --json | jq -r '.items[].id'"],
    output: () => import('./schemas.ts').then((schemas) => schemas.TasksOutput),
    load: () => import('./tasks.ts').then((actions) => actions.listOfTasks),
  },
  {
    path: 'jobs show',
    summary: 'show a task: its progress, and how it ended',
    args: [{ name: 'task', summary: 'id of the task' }],
    runs: ['L'],
    examples: ['appctl jobs show tsk_01JQZ3W6T2K4M8N0P5R7S9V1X3 --json | jq .report'],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.TaskOutput),
    load: () => import('./tasks.ts').then((actions) => actions.showTask),
  },
  {
    path: 'jobs cancel',
    summary: 'stop a running task',
    description: 'It stops after the step under way. What is done stays; running the command again goes on.',
    args: [{ name: 'task', summary: 'id of the task' }],
    runs: ['L'],
    examples: ['appctl jobs cancel tsk_01JQZ3W6T2K4M8N0P5R7S9V1X3'],
    confirm: 'mild',
    dryRun: false,
    exits: [3, 5],
    output: () => import('./schemas.ts').then((schemas) => schemas.TaskOutput),
    load: () => import('./tasks.ts').then((actions) => actions.cancelOne),
  },
];

async function jobNames() {
  const { completeJobNames } = await import('./list.ts');
  return completeJobNames;
}
