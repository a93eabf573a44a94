import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { inventoryEvents } from './events.ts';
import { lockForStaff, requireAllowed } from './levels.ts';
import type { Level } from './record.ts';
import { noteMovement, settleLevels } from './settle.ts';

/** What somebody made of a number of units that a page showed. */
export interface Correction {
  readonly variantId: string;
  /** As it was shown; null where stock was shown as not tracked: a number begins to track it. */
  readonly seen: number | null;
  readonly wanted: number;
}

/** Why a correction was not taken. */
export interface Uncorrected {
  readonly variantId: string;
  readonly text: string;
  /** Something else is on hand by now than what was shown. */
  readonly isStale: boolean;
}

/**
 * Sets the stock of several variants, each of which must still be what its page showed: orders change it meanwhile. All
 * of them are locked before any is changed, in the order in which everybody locks levels.
 *
 * @returns why some cannot be taken; nothing is written then
 * @throws AppError NOT_FOUND
 */
export async function correct(ctx: Ctx, corrections: readonly Correction[]): Promise<Uncorrected[]> {
  if (corrections.length === 0) return [];
  return ctx.tx(async (ctx) => {
    const refused: Uncorrected[] = [];
    const changes: { before: Level; after: Level }[] = [];
    const inOrder = [...corrections].sort((one, other) => (one.variantId < other.variantId ? -1 : 1));
    for (const { variantId, seen, wanted } of inOrder) {
      const before = await lockForStaff(ctx, variantId);
      const refusal = refusalOf(before, seen, wanted);
      if (refusal) refused.push({ variantId, ...refusal });
      else if (before.onHand !== wanted || !before.trackInventory)
        changes.push({ before, after: { ...before, onHand: wanted, trackInventory: true } });
    }
    if (refused.length === 0) await write(ctx, changes);
    return refused;
  });
}

function staleness(before: Level, seen: number | null): string | null {
  if (seen === null && before.trackInventory)
    return `Stock tracking was turned on after you opened this page, with ${before.onHand} on hand. Check your entries and save again`;
  if (seen !== null && !before.trackInventory)
    return 'Stock tracking was turned off after you opened this page. Save again to track it with your number';
  if (seen !== null && before.onHand !== seen)
    return `The stock changed from ${seen} to ${before.onHand} after you opened this page. Check your entries and save again`;
  return null;
}

function refusalOf(
  before: Level,
  seen: number | null,
  wanted: number,
): Omit<Uncorrected, 'variantId'> | null {
  const stale = staleness(before, seen);
  if (stale !== null) return { text: stale, isStale: true };
  try {
    requireAllowed(before, wanted);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { text: error.message, isStale: false };
  }
}

async function write(ctx: Ctx, changes: readonly { before: Level; after: Level }[]): Promise<void> {
  const settled = await settleLevels(ctx, changes);
  for (const [at, after] of settled.entries()) {
    const { before } = changes[at] as { before: Level };
    if (!before.trackInventory)
      await inventoryEvents.tell(ctx, 'inventory.rules_changed', after.variantId, {}, { before, after });
    if (after.onHand === before.onHand) continue;
    const [delta, reason] = [after.onHand - before.onHand, 'correction' as const];
    await noteMovement(ctx, after, { delta, reason });
    await inventoryEvents.tell(
      ctx,
      'inventory.adjusted',
      after.variantId,
      { delta, reason },
      { before, after },
    );
  }
}
