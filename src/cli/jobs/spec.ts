import type { CommandSpec, GroupSpec } from '../frame/spec.ts';

export const jobsGroup: GroupSpec = { path: 'jobs', summary: 'recurring work' };

export const jobsCommands: readonly CommandSpec[] = [
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
];

async function jobNames() {
  const { completeJobNames } = await import('./list.ts');
  return completeJobNames;
}
