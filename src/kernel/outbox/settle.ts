import { sleep } from '../clock.ts';
import type { Ctx } from '../context.ts';
import * as claims from './claims/repository.ts';
import type { Settle } from './handler.ts';

/** What became of an attempt; `lost` when the entry was not ours any more and nothing was written. */
export type Settled = 'ended' | 'postponed' | 'lost';

const AGAIN_MS = 1000;

/**
 * Writes the outcome of an attempt and releases the entry, in one transaction. Where the database fails it is tried
 * again as long as the entry is held; after that whoever claims the entry repeats the attempt under the same number.
 *
 * @param isStopping ends the repeating
 */
export async function settleEntry(
  ctx: Ctx,
  held: claims.Held,
  settle: Settle,
  isStopping: () => boolean,
): Promise<Settled> {
  for (;;) {
    try {
      return await ctx.tx((ctx) => write(ctx, held, settle));
    } catch (error) {
      const isOver = isStopping() || ctx.now() >= held.until;
      ctx.log.error({ err: error, outbox: held.entry.id }, 'the outcome of an attempt was not written');
      if (isOver) return 'lost';
      await sleep(AGAIN_MS);
    }
  }
}

async function write(ctx: Ctx, held: claims.Held, settle: Settle): Promise<Settled> {
  if (!(await claims.isStillHeld(ctx, held))) return 'lost';
  const settlement = await settle(ctx);
  if (settlement === 'ended') {
    await claims.end(ctx, held);
    return 'ended';
  }
  await claims.postpone(ctx, held, settlement.retryAt);
  return 'postponed';
}
