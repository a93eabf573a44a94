import { systemClock } from '#kernel/clock.ts';
import { planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { humanTime } from '../frame/times.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { type Task, withTasks } from './twin.ts';

/** `appctl jobs tasks`: the newest ones. */
export function listOfTasks(cli: Cli): Promise<void> {
  return withTasks(cli, async (desk) => {
    const status = cli.option('status');
    const page = await desk.get<DeskPage<Task>>('tasks', { ...pageAsked(cli), status });
    await cli.out.page(page, [
      { key: 'id' },
      { key: 'kind', title: 'task' },
      { key: 'status' },
      { key: 'done', text: progressOf, align: 'right' },
      { key: 'startedAt', title: 'started', time: true },
      { key: 'finishedAt', title: 'ended', time: true },
    ]);
  });
}

/** `appctl jobs show ID`. */
export function showTask(cli: Cli): Promise<void> {
  return withTasks(cli, async (desk) => {
    const { task } = await desk.get<{ task: Task }>(at`tasks/${cli.argument('task')}`);
    await tell(cli, task);
  });
}

/** `appctl jobs cancel ID`. */
export function cancelOne(cli: Cli): Promise<void> {
  return withTasks(cli, async (desk) => {
    const id = cli.argument('task');
    const { task } = await desk.post<{ task: Task }>(at`tasks/${id}/cancel`);
    await cli.out.value(
      planned(cli, task),
      () => `${task.kind} stops after the current step: appctl jobs show ${id}`,
    );
  });
}

const progressOf = ({ done, total }: Task): string => (total === null ? `${done}` : `${done} of ${total}`);

const tell = (cli: Cli, task: Task): Promise<void> => {
  const now = systemClock.epochMs();
  const ended = task.finishedAt ? `, ended ${humanTime(task.finishedAt, now)}` : '';
  return cli.out.value(task, () =>
    [
      `${task.kind} ${task.status}: ${progressOf(task)} done`,
      `started ${humanTime(task.startedAt, now)} by ${task.startedBy}${ended}`,
      ...outcomeOf(task),
      ...refusedOf(task),
    ].join('\n'),
  );
};

/** A task that somebody cancelled has not failed. */
function outcomeOf({ status, error }: Task): string[] {
  if (status === 'CANCELLED') return ['canceled on request; what was done stays'];
  return error ? [`failed: ${error}`] : [];
}

const MOST_SHOWN = 20;

interface Refused {
  readonly id: string;
  readonly error?: { readonly message: string };
}

/** What became of the rows of a bulk run that were refused. */
function refusedOf({ report }: Task): string[] {
  const results = Array.isArray(report?.results) ? (report.results as Refused[]) : [];
  const failed = results.filter(({ error }) => error !== undefined);
  const more = failed.length > MOST_SHOWN ? [`and ${failed.length - MOST_SHOWN} more: see --json`] : [];
  return [...failed.slice(0, MOST_SHOWN).map(({ id, error }) => `${id}: ${error?.message}`), ...more];
}
