// What the shop reports about orders, and what it means for their licenses (fulfilment section 6). Each runs in the transaction of what
// has happened, which has locked the order.
import type { Ctx } from '#kernel/context.ts';
import { disputedPayment } from '#storefront/orders/payments/index.ts';
import { chosen, isOrdered, isRefunded, REASONS } from './choose.ts';
import { become, machinesOf, resize, type Wish } from './effects.ts';
import { rowsWanted } from './mint.ts';
import {
  approvedUnits,
  exchangedUnits,
  type LicensedItem,
  licensedItems,
  receivedUnits,
  refundedUnits,
  returnsUnderWay,
} from './queries.ts';
import type { LicenseMint } from './record.ts';
import * as repo from './repository.ts';
import { settleLicenses } from './settle.ts';

const isLive = ({ status }: LicenseMint): boolean => status === 'minted' || status === 'suspended';
const isOpen = ({ status }: LicenseMint): boolean => status !== 'revoked' && status !== 'kept';

const ofItem = (mints: readonly LicenseMint[], { id }: LicensedItem): LicenseMint[] =>
  mints.filter(({ orderItemId }) => orderItemId === id);

/** The order has ended: nothing of it is licensed any more. */
export async function orderEnded(ctx: Ctx, orderId: string): Promise<void> {
  const open = (await repo.mintsOf(ctx, orderId)).filter(isOpen);
  await become(ctx, open, { wanted: 'revoked', reason: REASONS.cancelled });
}

/** Money went back: as many units as it was for lose what their grant says. Money alone takes nothing away. */
export async function orderRefunded(ctx: Ctx, orderId: string, returnId: string | null): Promise<void> {
  const mints = await repo.mintsOf(ctx, orderId);
  if (mints.length === 0) return;
  const refunded = await refundedUnits(ctx, orderId);
  for (const item of await licensedItems(ctx, orderId)) {
    const own = ofItem(mints, item);
    const units = refunded.get(item.id) ?? 0;
    if (item.license.quantityMode === 'seats') await refundSeats(ctx, item, own, units);
    else {
      // Units that were cancelled and then paid back have lost their licenses already.
      const cancelled = Math.min(item.cancelledQuantity, own.filter((mint) => !isOrdered(mint)).length);
      const count = units - cancelled - own.filter(isRefunded).length;
      const open = own.filter((mint) => isOpen(mint) && !isRefunded(mint));
      const going = chosen(open, count, await machinesOf(ctx, open), returnId);
      await become(ctx, going, wishOf(item));
    }
  }
}

/** What a refund of a unit does, as the grant had it when it was sold. */
const wishOf = ({ license: { onRefund }, renews }: LicensedItem): Wish => ({
  wanted: onRefund === 'keep' ? 'kept' : onRefund === 'revoke' || renews !== null ? 'revoked' : 'suspended',
  reason: REASONS.refund,
});

async function refundSeats(
  ctx: Ctx,
  item: LicensedItem,
  own: readonly LicenseMint[],
  units: number,
): Promise<void> {
  const exchanged = (await exchangedUnits(ctx, item.orderId)).get(item.id) ?? 0;
  const isWhole = units + exchanged >= item.quantity - item.cancelledQuantity;
  if (!isWhole) return resize(ctx, item, own, { mayGrow: false });
  const open = own.filter((mint) => isOpen(mint) && !isRefunded(mint));
  await become(ctx, open, wishOf(item));
}

/** A bank asks: nothing of the order works until it is decided. */
export async function orderDisputed(
  ctx: Ctx,
  orderId: string,
  { paymentId, how }: { readonly paymentId: string; readonly how: 'opened' | 'won' | 'lost' },
): Promise<void> {
  const mints = await repo.mintsOf(ctx, orderId);
  const held = mints.filter((mint) => mint.holdRef === paymentId && mint.status === 'suspended');
  if (how === 'won') {
    await release(ctx, orderId, held);
    // What could not be made meanwhile is made; goods that are on their way back let their licenses rest on.
    await settleLicenses(ctx, orderId);
    for (const returnId of await returnsUnderWay(ctx, orderId)) await returnApproved(ctx, orderId, returnId);
  } else if (how === 'lost')
    await become(ctx, mints.filter(isOpen), { wanted: 'revoked', reason: REASONS.dispute });
  else {
    // A renewal is no license of its own: the one that it was for is another order's.
    const live = mints.filter(({ status, renews }) => status === 'minted' && renews === null);
    await become(ctx, live, { wanted: 'suspended', reason: REASONS.dispute, holdRef: paymentId });
  }
}

/** Goods are on their way back: their licenses rest until they arrive, or do not. */
export async function returnApproved(ctx: Ctx, orderId: string, returnId: string): Promise<void> {
  const mints = await repo.mintsOf(ctx, orderId);
  if (mints.length === 0) return;
  const approved = await approvedUnits(ctx, returnId);
  for (const item of await licensedItems(ctx, orderId)) {
    const own = ofItem(mints, item);
    const held = own.filter(({ holdRef }) => holdRef === returnId).length;
    const units = (approved.get(item.id) ?? 0) - held;
    const live = own.filter(({ status, renews }) => status === 'minted' && renews === null);
    // Seats that stay keep working: the refund takes the others away.
    const isPartOfSeats = item.license.quantityMode === 'seats' && units < item.quantity;
    if (isPartOfSeats) continue;
    const resting = chosen(live, units, await machinesOf(ctx, live));
    await become(ctx, resting, { wanted: 'suspended', reason: REASONS.return, holdRef: returnId });
  }
}

/** The goods stay where they are: their licenses work again. */
export const returnEnded = async (ctx: Ctx, orderId: string, returnId: string): Promise<void> =>
  release(ctx, orderId, await heldBy(ctx, orderId, returnId));

/** Lets licenses work again, unless a dispute is open. */
async function release(ctx: Ctx, orderId: string, held: readonly LicenseMint[]): Promise<void> {
  const disputed = held.length === 0 ? null : await disputedPayment(ctx, orderId);
  if (disputed !== null) await passedOn(ctx, held, disputed);
  else await become(ctx, held, { wanted: 'minted', reason: null });
}

/** Money goes back for what has arrived: the licenses of units that did not arrive work again. */
export async function returnRefunded(ctx: Ctx, orderId: string, returnId: string): Promise<void> {
  const held = await heldBy(ctx, orderId, returnId);
  if (held.length === 0) return;
  const received = await receivedUnits(ctx, returnId);
  const used = await machinesOf(ctx, held);
  for (const item of await licensedItems(ctx, orderId)) {
    const own = ofItem(held, item);
    const going = new Set(chosen(own, rowsWanted(item, received.get(item.id) ?? 0), used));
    await release(
      ctx,
      orderId,
      own.filter((mint) => !going.has(mint)),
    );
  }
}

/** What rests for one reason rests for a dispute from now on. */
async function passedOn(ctx: Ctx, mints: readonly LicenseMint[], paymentId: string): Promise<void> {
  const rests = { holdRef: paymentId, reason: REASONS.dispute, updatedAt: ctx.now() };
  for (const mint of mints) await repo.updateMint(ctx, { ...mint, ...rests });
}

/**
 * Something else was sent for what has arrived: the new order has licenses of its own. Those of units that did not arrive
 * work again. A refund tells by itself.
 */
export async function returnExchanged(ctx: Ctx, orderId: string, returnId: string): Promise<void> {
  const mints = await repo.mintsOf(ctx, orderId);
  const received = await receivedUnits(ctx, returnId);
  for (const item of await licensedItems(ctx, orderId)) {
    const own = ofItem(mints, item);
    const units = received.get(item.id) ?? 0;
    const isPartOfSeats = item.license.quantityMode === 'seats' && units < item.quantity;
    if (isPartOfSeats) await resize(ctx, item, own, { mayGrow: false });
    else {
      const live = own.filter((mint) => isOpen(mint) && !isRefunded(mint));
      const going = chosen(live, units, await machinesOf(ctx, live), returnId);
      await become(ctx, going, { wanted: 'revoked', reason: REASONS.return });
    }
  }
  await returnEnded(ctx, orderId, returnId);
}

/** Lines that staff take out of an order: nothing of them is licensed, and their rows stay with the order. */
export async function linesRemoved(ctx: Ctx, orderId: string, itemIds: readonly string[]): Promise<void> {
  const gone = (await repo.mintsOf(ctx, orderId)).filter(({ orderItemId }) =>
    itemIds.includes(orderItemId ?? ''),
  );
  const open = gone.filter(isOpen);
  const ended = await become(ctx, open, { wanted: 'revoked', reason: REASONS.cancelled });
  for (const mint of [...gone.filter((one) => !isOpen(one)), ...ended])
    await repo.updateMint(ctx, { ...mint, orderItemId: null, updatedAt: ctx.now() });
}

const heldBy = async (ctx: Ctx, orderId: string, returnId: string): Promise<LicenseMint[]> =>
  (await repo.mintsOf(ctx, orderId)).filter((mint) => mint.holdRef === returnId && isLive(mint));
