import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { cancelTask, failLost, type Task, unknownTask } from '#kernel/jobs/task.ts';
import { fail } from '#kernel/service/errors.ts';
import { taskRows } from './queries.ts';

/** What stopping the work of others needs. */
const NEEDED = 'system:write';

/** @throws AppError NOT_FOUND for one that the actor may not see */
export async function getTask(ctx: Ctx, id: string): Promise<Task> {
  await failLost(ctx);
  const task = await taskRows.find(ctx, id);
  if (task) return task;
  throw unknownTask(id);
}

/**
 * Stops a task after the step under way: everybody those that they began themselves, who may change the system those
 * of others too.
 *
 * @throws AppError NOT_FOUND; INSUFFICIENT_SCOPE; CONFLICT for one that has ended
 */
export const cancel = (ctx: Ctx, id: string): Promise<Task> =>
  ctx.tx(async (ctx) => {
    const { actorId } = await getTask(ctx, id);
    const { actor } = ctx;
    const isOwn = actorId !== null && actorId === actor.id;
    if (isOwn || allows(actor, NEEDED)) return cancelTask(ctx, id);
    throw fail('INSUFFICIENT_SCOPE', `Someone else started this task, so it needs the permission ${NEEDED}`, {
      details: { required: NEEDED },
    });
  });
