import { sleep } from '../clock.ts';
import type { Ctx } from '../context.ts';
import * as claims from './claims/repository.ts';
import type { Settle } from './handler.ts';

/** An attempt that was made, and what writes its outcome. */
export interface Outcome {
  readonly held: claims.Held;
  readonly settle: Settle;
}

const AGAIN_MS = 1000;

/**
 * Writes the outcomes of several attempts in one transaction. Their statements do not wait for each other, so that on
 * Postgres they share their trips. When one of them cannot be written, each is written for itself.
 *
 * @param isStopping ends the repeating
 */
export async function settleTogether(
  ctx: Ctx,
  outcomes: readonly Outcome[],
  isStopping: () => boolean,
): Promise<void> {
  const [first, ...others] = outcomes;
  if (first && others.length > 0) {
    try {
      await ctx.tx((ctx) => allOf(outcomes.map((one) => write(ctx, one))));
      return;
    } catch (error) {
      ctx.log.warn({ err: error }, 'outcomes of attempts are written one by one');
    }
  }
  await Promise.all(outcomes.map((one) => settleAlone(ctx, one, isStopping)));
}

/** Waits for all, also when one has failed: nothing may still be under way when the transaction is rolled back. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  for (const work of await Promise.allSettled(works)) if (work.status === 'rejected') throw work.reason;
}

/**
 * Writes the outcome of an attempt and releases the entry, in one transaction. Where the database fails it is tried
 * again as long as the entry is held; after that whoever claims the entry repeats the attempt under the same number.
 */
async function settleAlone(ctx: Ctx, outcome: Outcome, isStopping: () => boolean): Promise<void> {
  const { entry, until } = outcome.held;
  for (;;) {
    try {
      return await ctx.tx((ctx) => write(ctx, outcome));
    } catch (error) {
      const isOver = isStopping() || ctx.now() >= until;
      ctx.log.error({ err: error, outbox: entry.id }, 'the outcome of an attempt was not written');
      if (isOver) return;
      await sleep(AGAIN_MS);
    }
  }
}

/** An entry that is not ours any more is left to whoever holds it: nothing is written then. */
async function write(ctx: Ctx, { held, settle }: Outcome): Promise<void> {
  if (!(await claims.isStillHeld(ctx, held))) return;
  const settlement = await settle(ctx);
  if (settlement === 'ended') await claims.end(ctx, held);
  else await claims.postpone(ctx, held, settlement.retryAt);
}
