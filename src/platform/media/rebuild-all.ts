import type { Ctx } from '#kernel/context.ts';
import { startTask, type Task } from '#kernel/jobs/task.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { fail } from '#kernel/service/errors.ts';
import { taskRows } from '../jobs/index.ts';
import { mediaEvents } from './events.ts';
import * as repo from './repository.ts';

/** What its task is called. */
const TASK = 'rebuild pictures';
/** So many are marked in one transaction: others wait for the writer of SQLite meanwhile. */
const AT_ONCE = 250;
/** Who asks sees the end of a task that has little to mark. */
const PATIENCE_MS = 500;

/** How far the sizes of all pictures are. */
export interface RebuildState {
  readonly pictures: number;
  /** Their sizes are yet to be made. */
  readonly processing: number;
  readonly failed: number;
  /** The task that marks them, or did so last; null when nobody asked for it lately. */
  readonly task: Task | null;
}

export async function rebuildState(ctx: Ctx): Promise<RebuildState> {
  const { processing = 0, ready = 0, failed = 0 } = await repo.countByStatus(ctx);
  const { items } = await taskRows.page(ctx, { filters: { kind: TASK }, offset: 0, limit: 1 });
  return { pictures: processing + ready + failed, processing, failed, task: items[0] ?? null };
}

/**
 * Begins to have the sizes of all pictures made again from their originals: a task marks them, and the job
 * `media-variants` makes the sizes. Those that there are stay until then, and so does the quality of each picture.
 *
 * @throws AppError CONFLICT, reason INVALID_TRANSITION, while they are being marked
 */
export async function startRebuild(ctx: Ctx): Promise<RebuildState> {
  const { task, pictures } = await rebuildState(ctx);
  if (task?.status === 'RUNNING')
    throw fail('CONFLICT', 'All pictures are already being rebuilt; wait until that is done', {
      details: { reason: 'INVALID_TRANSITION' },
    });
  if (isRehearsal(ctx)) return { pictures, processing: pictures, failed: 0, task };
  const spec = { kind: TASK, params: { pictures } };
  const begun = await startTask(ctx, spec, (run) => markAll(ctx, run.progress, pictures), PATIENCE_MS);
  await ctx.tx((ctx) =>
    mediaEvents.tell(ctx, 'MEDIA_REBUILD_STARTED', begun.id, { pictures }, { target: 'tasks' }),
  );
  return rebuildState(ctx);
}

/** In the order of their ids, each once: one that is uploaded meanwhile has its sizes made anyway. */
async function markAll(
  ctx: Ctx,
  progress: (done: number, total: number) => void,
  total: number,
): Promise<{ marked: number }> {
  let [marked, after] = [0, ''];
  for (;;) {
    const ids = await ctx.tx((ctx) => repo.markProcessing(ctx, after, AT_ONCE));
    marked += ids.length;
    progress(marked, Math.max(total, marked));
    if (ids.length < AT_ONCE) return { marked };
    after = ids.at(-1) ?? after;
  }
}
