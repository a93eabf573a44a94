import type { Ctx } from '#kernel/context.ts';
import type { Payload } from '#kernel/hooks/point.ts';
import { deferredToHooks } from '#platform/hooks/index.ts';
import { tellStaff } from '#platform/staff-mail/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { lowStockThreshold } from '#storefront/contract/settings.ts';
import { inventoryEvents, type LowStock } from './events.ts';
import { availableOf, hasFallen, stateOf, thresholdOf } from './level.ts';
import type { Level, Movement } from './record.ts';
import * as repo from './repository.ts';

/** A level that the transaction has locked: as it was, and with its new numbers or rules. */
export interface Change {
  readonly before: Pick<Level, 'state' | 'trackInventory'>;
  readonly after: Level;
}

/**
 * Stores changed levels with the states that follow, lets the shop know, and tells of what fell to its threshold. Call it
 * once in a transaction, after all levels are locked: others wait for the counter from then on.
 */
export async function settleLevels(ctx: Ctx, changes: readonly Change[]): Promise<Level[]> {
  const standing = ctx.settings.get(lowStockThreshold);
  const now = ctx.now();
  const wanted = changes.map(({ before, after }) => ({
    before,
    after,
    state: stateOf(after, standing),
  }));
  const isSeen = wanted.some(({ before, state }) => before.state !== state);
  const version = isSeen ? await repo.nextVersion(ctx) : 0;
  const settled = wanted.map(({ before, after: changed, state }) => {
    const after: Level = {
      ...changed,
      state,
      stateVersion: before.state === state ? changed.stateVersion : version,
      updatedAt: now,
    };
    const isLow = hasFallen(before, after);
    if (isLow) after.lowStockNotifiedAt = now;
    else if (state === 'in') after.lowStockNotifiedAt = null;
    return { after, isLow };
  });
  await Promise.all(settled.map(({ after }) => repo.updateLevel(ctx, after)));
  for (const { after, isLow } of settled) if (isLow) await tellLow(ctx, after, standing);
  return settled.map(({ after }) => after);
}

async function tellLow(ctx: Ctx, level: Level, standing: number): Promise<void> {
  const variant = await repo.variantOf(ctx, level.variantId);
  // What was removed is not ordered again.
  if (!variant) return;
  const told = { variant, available: availableOf(level), threshold: thresholdOf(level, standing) };
  // A sale waits for no hook.
  if (await deferredToHooks(ctx, 'inventory.low_stock', level.variantId, told)) return;
  await alert(ctx, told);
}

/** Tells of a variant that fell to its threshold, once no hook has held it back. @param payload as it was put off */
export const tellLowNow = (ctx: Ctx, payload: Payload): Promise<void> =>
  alert(ctx, payload as unknown as LowStock);

async function alert(ctx: Ctx, told: LowStock): Promise<void> {
  await inventoryEvents.tell(ctx, 'inventory.low_stock', told.variant.id, told);
  await tellStaff(ctx, 'admin_low_stock', told.variant.id);
}

/** Notes a change of what is on hand. @param level as it is after it */
export async function noteMovement(
  ctx: Ctx,
  { variantId, onHand }: Pick<Level, 'variantId' | 'onHand'>,
  about: Pick<Movement, 'delta' | 'reason'> & Partial<Pick<Movement, 'note' | 'orderId' | 'returnId'>>,
): Promise<Movement> {
  const movement: Movement = {
    id: ctx.newId(ids.stockMovement),
    variantId,
    onHandAfter: onHand,
    actor: (ctx.actor.label || ctx.actor.kind).slice(0, 255),
    note: null,
    orderId: null,
    returnId: null,
    ...about,
    createdAt: ctx.now(),
  };
  await repo.insertMovement(ctx, movement);
  return movement;
}
