import { systemClock } from '#kernel/clock.ts';
import { cancelTask, getTask, listTasks, type Task } from '#kernel/jobs/task.ts';
import type { Cli } from '../frame/context.ts';
import { humanTime } from '../frame/times.ts';
import { withLocal } from '../open.ts';
import { pageOf } from '../paging.ts';

const MOST_LISTED = 100;

/** `appctl jobs tasks`: the newest ones. */
export function listOfTasks(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const items = await listTasks(ctx, MOST_LISTED);
    await cli.out.page(pageOf({ page: 1, limit: MOST_LISTED }, items, items.length), [
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
  return withLocal(cli, async ({ ctx }) => tell(cli, await getTask(ctx, cli.argument('task'))));
}

/** `appctl jobs cancel ID`. */
export async function cancelOne(cli: Cli): Promise<void> {
  const id = cli.argument('task');
  await withLocal(cli, async ({ ctx }) => {
    const task = await cancelTask(ctx, id);
    await cli.out.value(task, () => `${task.kind} stops after the step under way: appctl jobs show ${id}`);
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
    ].join('\n'),
  );
};

/** A task that somebody cancelled has not failed. */
function outcomeOf({ status, error }: Task): string[] {
  if (status === 'CANCELLED') return ['cancelled on request; what was done stays'];
  return error ? [`failed: ${error}`] : [];
}
