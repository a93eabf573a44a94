import { change, page } from '../answers.ts';
import type { ArgSpec, CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/jobs/view.ts');

const jobArgument: ArgSpec = {
  name: 'name',
  summary: 'name of the job; - and _ mean the same',
  complete: jobNames,
};

const list: CommandSpec = {
  path: 'jobs list',
  summary: 'list the jobs with their last and next runs',
  options: [
    {
      name: 'state',
      value: 'STATE',
      summary: 'only those with this outcome or state',
      choices: ['running', 'paused', 'failed', 'ok', 'new'],
    },
  ],
  runs: ['L', 'R'],
  examples: ['appctl jobs list', 'appctl jobs list --state failed --json | jq -r ".items[].lastError"'],
  output: page(views, 'JobView'),
  load: () => import('./list.ts').then((actions) => actions.listJobs),
};

const history: CommandSpec = {
  path: 'jobs history',
  summary: 'show what a job did, the newest run first',
  description:
    'Shows runs that somebody requested, that failed or that changed something, and every run of hourly and daily jobs. The newest 200 of each outcome are kept for 30 days.',
  args: [jobArgument],
  options: [
    {
      name: 'status',
      value: 'STATUS',
      summary: 'only those with this outcome or state',
      choices: ['ok', 'failed'],
    },
    ...pageOptions,
  ],
  runs: ['L', 'R'],
  examples: ['appctl jobs history retention', 'appctl jobs history license-expiry --status failed'],
  exits: [3],
  output: page(views, 'KeptRunView'),
  load: () => import('./list.ts').then((actions) => actions.showHistory),
};

const run: CommandSpec = {
  path: 'jobs run',
  summary: 'run a job now, even if it is paused',
  description:
    "With --wait it runs here, or on the server in --server, after any run in progress, and prints the outcome; stats-flush runs in the server, because it writes the server's memory. Without --wait a running server starts it; if no server is running, it runs here.",
  args: [jobArgument],
  options: [{ name: 'wait', summary: 'wait until the run has finished' }],
  runs: ['L', 'S', 'R'],
  examples: [
    'appctl jobs run license-expiry --wait',
    'appctl jobs run license-expiry --wait --json | jq .result',
  ],
  confirm: 'mild',
  dryRun: false,
  exits: [3, 5],
  output: () => import('./schemas.ts').then((schemas) => schemas.JobsRunOutput),
  load: () => import('./run.ts').then((actions) => actions.runJob),
};

const pause: CommandSpec = {
  path: 'jobs pause',
  summary: 'stop running a job automatically',
  description:
    'A run in progress finishes. jobs run still works, and jobs resume turns automatic runs back on. Until then the work of the job waits. Licenses still expire on time; their events come later.',
  args: [jobArgument],
  runs: ['L', 'R'],
  examples: ['appctl jobs pause heartbeat-cull'],
  confirm: 'mild',
  exits: [3, 5],
  output: change(views, 'JobView'),
  load: () => import('./change.ts').then((actions) => actions.pauseJob),
};

const resume: CommandSpec = {
  path: 'jobs resume',
  summary: 'run a paused job automatically again',
  description: 'It runs at the next time of its schedule; a job with an interval runs at once if it is due.',
  args: [jobArgument],
  runs: ['L', 'R'],
  examples: ['appctl jobs resume heartbeat-cull'],
  confirm: 'mild',
  exits: [3],
  output: change(views, 'JobView'),
  load: () => import('./change.ts').then((actions) => actions.resumeJob),
};

const schedule: CommandSpec = {
  path: 'jobs schedule',
  summary: 'choose when a job runs',
  description:
    'Takes a cron expression with five fields: minute, hour, day, month, weekday, in the time zone of jobs.timezone (UTC unless set). Only hourly and daily jobs can have one. A time skipped by the change to daylight saving time does not run that day.',
  args: [jobArgument, { name: 'schedule', summary: 'cron expression, in quotes', optional: true }],
  options: [{ name: 'interval', summary: 'use the interval of the job again' }],
  runs: ['L', 'R'],
  examples: ['appctl jobs schedule retention "30 3 * * *"', 'appctl jobs schedule retention --interval'],
  confirm: 'mild',
  exits: [3, 5],
  output: change(views, 'JobView'),
  load: () => import('./change.ts').then((actions) => actions.scheduleJob),
};

export const jobCommands: readonly CommandSpec[] = [list, history, run, pause, resume, schedule];

async function jobNames() {
  const { completeJobNames } = await import('./list.ts');
  return completeJobNames;
}
