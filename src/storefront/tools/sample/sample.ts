import type { Ctx } from '#kernel/context.ts';
import { startTask } from '#kernel/jobs/task.ts';
import { isRehearsal } from '#kernel/rehearse.ts';
import { fail } from '#kernel/service/errors.ts';
import { progressOf, taskRows } from '#platform/jobs/index.ts';
import type { SampleKind } from './record.ts';
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
  return { ...countsOf(await repo.countItems(ctx)), task: progressOf(items[0]) };
}

type Counts = Partial<Readonly<Record<SampleKind, number>>>;

const countsOf = (counts: Counts): Omit<SampleShown, 'task'> => ({
  products: counts.product ?? 0,
  collections: counts.collection ?? 0,
  categories: counts.category ?? 0,
  pictures: counts.media ?? 0,
  pages: counts.page ?? 0,
  menus: counts.menu ?? 0,
});

/** What is there, and what a load would add. */
async function summed(ctx: Ctx, more: Counts): Promise<Counts> {
  const known = await repo.countItems(ctx);
  const kinds = Object.keys(more) as SampleKind[];
  return Object.fromEntries(kinds.map((kind) => [kind, (known[kind] ?? 0) + (more[kind] ?? 0)]));
}

/**
 * Begins to load the sample data, as a task.
 *
 * @throws AppError CONFLICT, reason INVALID_TRANSITION, while it is loaded already
 */
export async function start(ctx: Ctx): Promise<SampleShown> {
  // With its goods and drawings: a server that never loads them keeps them out of its memory.
  const { load, planned, SAMPLE_PRODUCTS } = await import('./load.ts');
  const before = await state(ctx);
  if (isRehearsal(ctx)) return { ...before, ...countsOf(await summed(ctx, await planned(ctx))) };
  if (before.task?.status === 'RUNNING')
    throw fail('CONFLICT', 'The sample data is being loaded already; wait until it is done', {
      details: { reason: 'INVALID_TRANSITION' },
    });
  const spec = { kind: TASK, params: { products: SAMPLE_PRODUCTS } };
  await startTask(ctx, spec, (task) => load(ctx, task.progress), PATIENCE_MS);
  return state(ctx);
}
