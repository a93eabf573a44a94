import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Ctx } from '#kernel/context.ts';
import * as repo from './repository.ts';

/**
 * Marks the licenses that some machine has activated since the last run, so that a list of those that none has need not
 * look at them (decision 0060). An activation itself writes nothing for it.
 *
 * @returns `marked`: licenses
 */
export async function markActivated(ctx: Ctx): Promise<{ marked: number }> {
  let marked = 0;
  for (let after: string | null = ''; after !== null; await nextTurn()) {
    const { next, unmarked }: repo.Stretch = await repo.lookThrough(ctx, after);
    if (unmarked.length > 0) marked += await ctx.tx((ctx) => repo.mark(ctx, unmarked));
    after = next;
  }
  return { marked };
}
