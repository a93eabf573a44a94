import type { Ctx } from '../context.ts';
import * as claims from './claims/repository.ts';
import type { OutboxHandler } from './handler.ts';

/** What was claimed, of how many that might have been. */
export interface Counted {
  count: number;
  held: claims.Held[];
}

/**
 * Claims entries of a target that fails: never more than may still be under way, whatever other processes hold. What is
 * held counts in full, since nobody but its holder knows whether it was sent.
 *
 * @returns null when the target does not fail any more
 */
export async function claimCounted(
  ctx: Ctx,
  handler: OutboxHandler,
  asked: claims.Claiming,
): Promise<Counted | null> {
  await claims.lockTarget(ctx, asked.target);
  // Held ones first: one that ends in between is then counted twice, and not left out.
  const held = await claims.countHeld(ctx, asked);
  const remaining = (await handler.remainingOf?.(ctx, asked.target)) ?? null;
  if (remaining === null) return null;
  const count = Math.max(0, Math.min(asked.count, remaining - held));
  return { count, held: count > 0 ? await claims.claim(ctx, { ...asked, count, isCounted: true }) : [] };
}
