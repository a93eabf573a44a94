import { change, page } from '../answers.ts';
import type { ArgSpec, CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/jobs/view.ts');

const jobArgument: ArgSpec = { name: 'name', summary: 'job; - and _ are the same', complete: jobNames };

const list: CommandSpec = {
  path: 'jobs list',
  summary: 'list the jobs with their last and next runs',
  options: [
    {
      name: 'state',
      value: 'STATE',
      summary: 'only those',
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
    'Runs that somebody asked for, that failed or that changed something, and every run of a job that runs hourly or daily. The newest 200 of each outcome are kept, for 30 days.',
  args: [jobArgument],
  options: [
    { name: 'status', value: 'STATUS', summary: 'only those', choices: ['ok', 'failed'] },
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
  summary: 'run a job now, also while it is paused',
  description:
    'With --wait it runs here, or on the server of --server, after a run in progress has ended, and the answer is its outcome; stats-flush runs in the server, whose memory it writes. Without --wait a running server starts it; when no server runs it runs here.',
  args: [jobArgument],
  options: [{ name: 'wait', summary: 'answer when the run has ended' }],
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
  summary: 'stop running a job by itself',
  description:
    'A run in progress goes on to its end. jobs run still runs it, and jobs resume starts it again. What the job does waits until it is resumed. Licenses still expire on time; their events come later.',
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
  summary: 'run a paused job by itself again',
  description: 'At the next time of its schedule; one that goes by its interval runs at once if it was due.',
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
  summary: 'choose the times at which a job runs',
  description:
    'A cron expression of five fields: minute, hour, day, month, weekday, in the time zone of jobs.timezone (UTC unless set). Jobs that run hourly or daily take one. A time that the change to daylight saving time leaves out does not run on that day.',
  args: [jobArgument, { name: 'schedule', summary: 'cron expression, in quotes', optional: true }],
  options: [{ name: 'interval', summary: 'go back to the interval of the job' }],
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
