import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { allowBackorderDefault, lowStockThreshold } from '#storefront/contract/settings.ts';
import { inventoryEvents } from './events.ts';
import { stateOf } from './level.ts';
import { type Level, MOST_UNITS, type Movement, type MovementReason } from './record.ts';
import * as repo from './repository.ts';
import { Adjustment, type AdjustmentInput, Rules, type RulesInput, type StockInput } from './schemas.ts';
import { noteMovement, settleLevels } from './settle.ts';

/** Not enough is left. */
export const outOfStock = (message: string, more: object = {}) =>
  fail('VALIDATION_ERROR', message, {
    details: { reason: 'OUT_OF_STOCK', ...more },
  });

export function unknownVariant(id: string): never {
  throw fail('NOT_FOUND', `variant ${id} does not exist`);
}

/**
 * Begins to keep the stock of new variants of one product, in the transaction that makes them.
 *
 * @param variants what each has in stock: tracked when a number is named
 */
export async function openLevels(
  ctx: Ctx,
  productId: string,
  variants: readonly (StockInput & { readonly id: string })[],
): Promise<void> {
  if (variants.length === 0) return;
  const [standing, now] = [ctx.settings.get(lowStockThreshold), ctx.now()];
  const levels = variants.map(({ id, stock, trackInventory, allowBackorder }): Level => {
    const level = {
      variantId: id,
      onHand: stock ?? 0,
      reserved: 0,
      trackInventory: trackInventory ?? stock !== undefined,
      allowBackorder: allowBackorder ?? ctx.settings.get(allowBackorderDefault),
      lowStockThreshold: null,
      lowStockNotifiedAt: null,
      stateVersion: 0,
      createdAt: now,
      updatedAt: now,
    };
    return { ...level, state: stateOf(level, standing) };
  });
  await repo.insertLevels(ctx, levels);
  for (const level of levels)
    if (level.onHand > 0) await noteMovement(ctx, level, { delta: level.onHand, reason: 'count' });
  await repo.touchLevels(ctx, productId);
}

/** Lets the shop know that a variant of a product is gone, in the transaction that removes it. */
export const variantsChanged = (ctx: Ctx, productId: string): Promise<void> =>
  repo.touchLevels(ctx, productId);

/** What somebody does to the stock of a variant. */
export interface Adjusted {
  readonly level: Level;
  /** null: nothing has changed, since as many were there as were counted. */
  readonly movement: Movement | null;
}

type Wanted = Pick<AdjustmentInput, 'delta' | 'setTo'>;

/** By how much stock changes. @throws AppError VALIDATION_ERROR unless one of both is named */
function deltaOf({ delta, setTo }: Wanted, { onHand }: Level): number {
  if ((delta === undefined) === (setTo === undefined))
    throw invalidField('delta', 'send either delta or set_to');
  return delta ?? (setTo as number) - onHand;
}

/**
 * Changes the stock of a variant by a number of units or to what was counted. It never falls below what orders hold,
 * unless the variant may be sold on backorder.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason OUT_OF_STOCK where less would be left than orders hold
 */
export async function adjust(ctx: Ctx, variantId: string, input: AdjustmentInput): Promise<Adjusted> {
  const { reason, note, ...wanted } = checkInput(Adjustment, input);
  return ctx.tx((ctx) => adjustBy(ctx, variantId, wanted, { reason, note }));
}

/** As `adjust`, in the transaction of the caller. */
export async function adjustBy(
  ctx: Ctx,
  variantId: string,
  wanted: Wanted,
  {
    reason,
    note,
  }: {
    readonly reason: MovementReason;
    readonly note?: string | null | undefined;
  },
): Promise<Adjusted> {
  const before = await lockForStaff(ctx, variantId);
  const delta = deltaOf(wanted, before);
  if (delta === 0) return { level: before, movement: null };
  const onHand = before.onHand + delta;
  requireAllowed(before, onHand);
  const [level] = await settleLevels(ctx, [{ before, after: { ...before, onHand } }]);
  const after = level as Level;
  const movement = await noteMovement(ctx, after, {
    delta,
    reason,
    note: note || null,
  });
  await inventoryEvents.tell(ctx, 'inventory.adjusted', variantId, { delta, reason }, { before, after });
  return { level: after, movement };
}

/** @throws AppError VALIDATION_ERROR where a level may not become so many, reason OUT_OF_STOCK where orders hold more */
export function requireAllowed(before: Level, onHand: number): void {
  if (Math.abs(onHand) > MOST_UNITS)
    throw invalidField('delta', `stock is at most ${MOST_UNITS} units, this would make ${onHand}`);
  if (onHand < before.onHand && onHand < before.reserved && !before.allowBackorder)
    throw outOfStock(shortage(before, onHand), {
      available: before.onHand - before.reserved,
    });
}

const shortage = ({ onHand: had, reserved }: Level, onHand: number): string =>
  reserved === 0
    ? `stock is ${had} and cannot fall to ${onHand}; allow backorders of the variant first`
    : `stock is ${had} with ${reserved} reserved for orders and cannot fall to ${onHand}; release reservations first, or allow backorders of the variant`;

/** The level of a variant that is not removed, locked. @throws AppError NOT_FOUND */
export async function lockForStaff(ctx: Ctx, variantId: string): Promise<Level> {
  const level = await repo.lockLevel(ctx, variantId);
  return level && (await repo.variantOf(ctx, variantId)) ? level : unknownVariant(variantId);
}

/**
 * Changes how a variant is sold: whether its stock counts, whether it is sold beyond it, and when it is low.
 *
 * @throws AppError NOT_FOUND
 */
export async function changeRules(ctx: Ctx, variantId: string, input: RulesInput): Promise<Level> {
  const sent = sentFields(checkInput(Rules, input));
  return ctx.tx(async (ctx) => {
    const before = await lockForStaff(ctx, variantId);
    const wanted = { ...before, ...sent };
    const isSame =
      wanted.trackInventory === before.trackInventory &&
      wanted.allowBackorder === before.allowBackorder &&
      wanted.lowStockThreshold === before.lowStockThreshold;
    if (isSame) return before;
    const [after] = await settleLevels(ctx, [{ before, after: wanted }]);
    await inventoryEvents.tell(ctx, 'inventory.rules_changed', variantId, {}, { before, after });
    return after as Level;
  });
}
