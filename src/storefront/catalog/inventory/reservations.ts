import type { Ctx } from '#kernel/context.ts';
import { conflict, fail } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import { reservationEvents } from './events.ts';
import { availableOf } from './level.ts';
import { outOfStock } from './levels.ts';
import type { Level, Reservation } from './record.ts';
import * as repo from './repository.ts';
import { type Change, noteMovement, settleLevels } from './settle.ts';

/** Units that an item of an order asks for. */
export interface Wanted {
  readonly orderItemId: string;
  readonly variantId: string;
  readonly quantity: number;
}

/** Reservations whose time is over are ended so many at a time. */
const AT_ONCE = 500;

/** Quantities by variant, the variants in the order of their ids: whoever locks several locks them so. */
function sumsOf(rows: readonly Pick<Wanted, 'variantId' | 'quantity'>[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const { variantId, quantity } of rows) sums.set(variantId, (sums.get(variantId) ?? 0) + quantity);
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * Holds stock for the items of an order, in the transaction that places it. Quantities are summed by variant, and each
 * sum is taken by one conditional UPDATE (P1, P2). What is not tracked is not held.
 *
 * @param expiresAt when the order must be settled
 * @throws AppError VALIDATION_ERROR, reason OUT_OF_STOCK with the variant and what is left of it; CONFLICT for an item
 *   that holds stock already
 */
export async function reserve(
  ctx: Ctx,
  orderId: string,
  items: readonly Wanted[],
  expiresAt: string,
): Promise<Reservation[]> {
  return ctx.tx(async (ctx) => {
    const changes: Change[] = [];
    const held = new Set<string>();
    const sums = sumsOf(items);
    // Sent together, they are locked in this order all the same.
    const takes = await Promise.all(sums.map(([id, quantity]) => repo.takeUnits(ctx, id, quantity)));
    for (const [at, [variantId, quantity]] of sums.entries()) {
      const taken = takes[at];
      if (taken) {
        changes.push({ before: taken, after: taken });
        held.add(variantId);
      } else await requireUntracked(ctx, variantId, quantity);
    }
    await settleLevels(ctx, changes);
    const tracked = items.filter(({ variantId }) => held.has(variantId));
    return write(ctx, orderId, tracked, expiresAt);
  });
}

/** Nothing was taken: that is right of what is not tracked. */
async function requireUntracked(ctx: Ctx, variantId: string, quantity: number): Promise<void> {
  const level = await repo.lockLevel(ctx, variantId);
  if (!level) throw fail('NOT_FOUND', `variant ${variantId} does not exist`);
  if (!level.trackInventory) return;
  const available = Math.max(0, availableOf(level));
  const { sku = variantId } = (await repo.variantOf(ctx, variantId)) ?? {};
  throw outOfStock(
    available === 0
      ? `${sku} is sold out`
      : `only ${available} of ${sku} are left, ${quantity} were requested`,
    { variant_id: variantId, available },
  );
}

/** An item that held stock before holds it again by the same row. */
async function write(
  ctx: Ctx,
  orderId: string,
  items: readonly Wanted[],
  expiresAt: string,
): Promise<Reservation[]> {
  if (items.length === 0) return [];
  const had = new Map(
    (
      await repo.lockItems(
        ctx,
        items.map(({ orderItemId }) => orderItemId),
      )
    ).map((one) => [one.orderItemId, one]),
  );
  const now = ctx.now();
  const added: Reservation[] = [];
  const again: Reservation[] = [];
  for (const item of items) {
    const before = had.get(item.orderItemId);
    if (before && (before.status === 'held' || before.status === 'consumed'))
      throw conflict(`stock of the order item ${item.orderItemId} is ${before.status} already`);
    const id = before?.id ?? ctx.newId(ids.stockReservation);
    const since = before?.createdAt ?? now;
    const one: Reservation = {
      ...item,
      id,
      orderId,
      status: 'held',
      expiresAt,
      createdAt: since,
      updatedAt: now,
    };
    (before ? again : added).push(one);
  }
  await repo.insertReservations(ctx, added);
  for (const one of again) await repo.updateReservation(ctx, one);
  return [...added, ...again];
}

/** What ends a hold does to the level of its variant. */
type Ending = (level: Level, quantity: number) => Level;

const given: Ending = (level, quantity) => ({
  ...level,
  reserved: level.reserved - quantity,
});
/** What stopped being tracked meanwhile is held no longer, and is not counted. */
const gone: Ending = (level, quantity) => ({
  ...given(level, quantity),
  onHand: level.trackInventory ? level.onHand - quantity : level.onHand,
});

async function endEach(ctx: Ctx, rows: readonly Reservation[], ending: Ending): Promise<Level[]> {
  const changes: Change[] = [];
  const sums = sumsOf(rows);
  const levels = await Promise.all(sums.map(([id]) => repo.lockLevel(ctx, id)));
  for (const [at, [, quantity]] of sums.entries()) {
    const before = levels[at];
    if (before) changes.push({ before, after: ending(before, quantity) });
  }
  return settleLevels(ctx, changes);
}

/**
 * What an order held has left the store, in the transaction that settles it (storefront-domain 8): each hold once, however
 * often it is called.
 *
 * @returns the holds that this call has used up: fewer than the order reserved when their time was over before
 */
export async function consume(ctx: Ctx, orderId: string): Promise<Reservation[]> {
  return ctx.tx(async (ctx) => {
    const rows = await repo.endOfOrder(ctx, orderId, 'consumed');
    const sums = new Map(sumsOf(rows));
    const left = (await endEach(ctx, rows, gone)).filter(({ trackInventory }) => trackInventory);
    await Promise.all(
      left.map((level) =>
        noteMovement(ctx, level, { delta: -(sums.get(level.variantId) ?? 0), reason: 'sale', orderId }),
      ),
    );
    return rows;
  });
}

/**
 * Gives back what an order holds, in the transaction that ends it.
 *
 * @returns the holds that this call has given back
 */
export async function release(ctx: Ctx, orderId: string): Promise<Reservation[]> {
  return ctx.tx(async (ctx) => {
    const rows = await repo.endOfOrder(ctx, orderId, 'released');
    await endEach(ctx, rows, given);
    return rows;
  });
}

/**
 * Gives back one hold by hand.
 *
 * @param reason why, for the audit log
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, for one that has ended
 */
export async function releaseOne(ctx: Ctx, before: Reservation, reason?: string): Promise<Reservation> {
  return ctx.tx(async (ctx) => {
    const after = await repo.endOne(ctx, before.id, 'released');
    if (!after)
      throw fail('CONFLICT', `the reservation has already ended; only active ones can be released`, {
        details: { reason: 'INVALID_TRANSITION' },
      });
    await endEach(ctx, [after], given);
    const told = { quantity: after.quantity, reason: reason || null };
    await reservationEvents.tell(ctx, 'inventory.reservation_released', after.id, told, { before, after });
    return after;
  });
}

/** Gives back holds whose time is over, each in a transaction of its own. */
export async function expire(ctx: Ctx): Promise<{ expired: number }> {
  let expired = 0;
  for (const id of await repo.listExpired(ctx, AT_ONCE))
    await ctx.tx(async (ctx) => {
      const ended = await repo.endOne(ctx, id, 'expired');
      if (!ended) return;
      await endEach(ctx, [ended], given);
      expired += 1;
    });
  return { expired };
}

/**
 * Units of an order that was placed before leave the store as well: staff have added them. Taken at once, each variant by
 * one conditional UPDATE; what is not tracked is not counted.
 *
 * @throws AppError VALIDATION_ERROR, reason OUT_OF_STOCK with the variant and what is left of it
 */
export async function takeOut(
  ctx: Ctx,
  orderId: string,
  rows: readonly { readonly variantId: string; readonly quantity: number }[],
): Promise<void> {
  await ctx.tx(async (ctx) => {
    const changes: Change[] = [];
    const sums = new Map(sumsOf(rows));
    for (const [variantId, quantity] of sums) {
      const taken = await repo.takeUnits(ctx, variantId, quantity);
      if (taken) changes.push({ before: taken, after: gone(taken, quantity) });
      else await requireUntracked(ctx, variantId, quantity);
    }
    for (const level of await settleLevels(ctx, changes))
      await noteMovement(ctx, level, { delta: -(sums.get(level.variantId) ?? 0), reason: 'sale', orderId });
  });
}

/**
 * Units of an order come back into the store: it was cancelled, or the goods were returned. What is not tracked is not
 * counted.
 *
 * @param returnId of the return that they came with
 */
export async function putBack(
  ctx: Ctx,
  orderId: string,
  rows: readonly { readonly variantId: string; readonly quantity: number }[],
  reason: 'cancellation' | 'return',
  returnId: string | null = null,
): Promise<void> {
  await ctx.tx(async (ctx) => {
    const changes: Change[] = [];
    const sums = new Map(sumsOf(rows));
    for (const [variantId, quantity] of sums) {
      const before = await repo.lockLevel(ctx, variantId);
      if (before?.trackInventory)
        changes.push({ before, after: { ...before, onHand: before.onHand + quantity } });
    }
    for (const level of await settleLevels(ctx, changes))
      await noteMovement(ctx, level, { delta: sums.get(level.variantId) ?? 0, reason, orderId, returnId });
  });
}
