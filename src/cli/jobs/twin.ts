import type { z } from 'zod';
import type { JobView, KeptRunView, RunAsked, TaskView } from '#platform/jobs/view.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { twinsOf } from '../desk/resource.ts';
import type { Cli } from '../frame/context.ts';

/** A job, a run in its history and a task as the desk answers them (cli.md section 2). */
export type Job = z.output<typeof JobView>;
export type KeptRun = z.output<typeof KeptRunView>;
export type Asked = z.output<typeof RunAsked>;
export type Task = z.output<typeof TaskView>;

const jobTwins = twinsOf(async () => {
  const declared = await import('#platform/jobs/resource.ts');
  return [declared.jobResource, declared.jobRunResource];
});

const taskTwins = twinsOf(async () => [(await import('#platform/jobs/resource.ts')).taskResource]);

/** Opens the desk of a command about jobs. Throws as withDesk does. */
export const withJobs = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, jobTwins, async (desk) => {
    if (desk.local) {
      const { runJobsHere } = await import('./here.ts');
      await runJobsHere(desk.local, (await cli.config()).files);
    }
    return work(desk);
  });

/** Opens the desk of a command about tasks. Throws as withDesk does. */
export const withTasks = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, taskTwins, work);

/** The address of a job; `-` and `_` are the same. */
export const pathOf = (cli: Cli): string => at`jobs/${cli.argument('name').replaceAll('_', '-')}`;
