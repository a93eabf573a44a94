import { change, one, page } from '../answers.ts';
import type { ArgSpec, CommandSpec } from '../frame/spec.ts';
import { pageOptions } from '../paging.ts';

const views = () => import('#platform/jobs/view.ts');

const taskArgument: ArgSpec = { name: 'task', summary: 'id of the task' };
const ID = 'tsk_01JQZ3W6T2K4M8N0P5R7S9V1X3';

export const taskCommands: readonly CommandSpec[] = [
  {
    path: 'jobs tasks',
    summary: 'list one-off tasks, such as imports and bulk runs, with their progress',
    description:
      'Lists the newest tasks of the tenant: your own, and with the permission system:read those of others. Finished tasks are kept for 30 days.',
    options: [
      {
        name: 'status',
        value: 'STATUS',
        summary: 'only those with this status',
        choices: ['RUNNING', 'DONE', 'FAILED', 'CANCELLED'],
      },
      ...pageOptions,
    ],
    runs: ['L', 'R'],
    examples: ['appctl jobs tasks', "appctl jobs tasks --json | jq -r '.items[].id'"],
    output: page(views, 'TaskView'),
    load: () => import('./tasks.ts').then((actions) => actions.listOfTasks),
  },
  {
    path: 'jobs show',
    summary: 'show a task: its progress, how it ended and which rows were refused',
    args: [taskArgument],
    runs: ['L', 'R'],
    examples: [`appctl jobs show ${ID} --json | jq .report`],
    exits: [3],
    output: one(views, 'TaskView'),
    load: () => import('./tasks.ts').then((actions) => actions.showTask),
  },
  {
    path: 'jobs cancel',
    summary: 'stop a running task',
    description:
      'It stops after the current step. What is done stays; run the original command again to continue.',
    args: [taskArgument],
    runs: ['L', 'R'],
    examples: [`appctl jobs cancel ${ID}`],
    confirm: 'mild',
    exits: [3, 5],
    output: change(views, 'TaskView'),
    load: () => import('./tasks.ts').then((actions) => actions.cancelOne),
  },
];
