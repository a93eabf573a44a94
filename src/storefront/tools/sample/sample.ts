import type { Ctx } from '#kernel/context.ts';
import { startTask } from '#kernel/jobs/task.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { fail } from '#kernel/service/errors.ts';
import { progressOf, taskRows } from '#platform/jobs/index.ts';
import * as repo from './repository.ts';
import type { SampleShown } from './view.ts';

/** What its task is called. */
export const TASK = 'load sample data';
/** Who asks sees the end of a load that has little to do. */
const PATIENCE_MS = 500;

/** What of the sample data is in the shop, and how far a load is. */
export async function state(ctx: Ctx): Promise<SampleShown> {
  // Before the counts: a task that has ended leaves them final.
  const { items } = await taskRows.page(ctx, { filters: { kind: TASK }, offset: 0, limit: 1 });
  const {
    product = 0,
    collection = 0,
    category = 0,
    media = 0,
    page = 0,
    menu = 0,
  } = await repo.countItems(ctx);
  return {
    products: product,
    collections: collection,
    categories: category,
    pictures: media,
    pages: page,
    menus: menu,
    task: progressOf(items[0]),
  };
}

/**
 * Begins to load the sample data, as a task.
 *
 * @throws AppError CONFLICT, reason INVALID_TRANSITION, while it is loaded already
 */
export async function start(ctx: Ctx): Promise<SampleShown> {
  // With its goods and drawings: a server that never loads them keeps them out of its memory.
  const { load, SAMPLE_PRODUCTS } = await import('./load.ts');
  const before = await state(ctx);
  if (isRehearsal(ctx)) {
    const { products } = await load(ctx, () => undefined);
    return { ...before, products: before.products + products };
  }
  if (before.task?.status === 'RUNNING')
    throw fail('CONFLICT', 'The sample data is being loaded already; wait until it is done', {
      details: { reason: 'INVALID_TRANSITION' },
    });
  const spec = { kind: TASK, params: { products: SAMPLE_PRODUCTS } };
  await startTask(ctx, spec, (task) => load(ctx, task.progress), PATIENCE_MS);
  return state(ctx);
}
