import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { chosen, isMissing, isOrdered, REASONS } from './choose.ts';
import { become, machinesOf, resize } from './effects.ts';
import { type Buyer, made, newMint, noteMade, rowsWanted, stored } from './mint.ts';
import { type LicensedItem, licensedItems } from './queries.ts';
import type { LicenseMint } from './record.ts';
import * as repo from './repository.ts';

/** An order is looked at again so long after it got lines that are not paid yet. */
const UNPAID_SECONDS = 3600;

const unitsOf = ({ quantity, cancelledQuantity }: LicensedItem): number => quantity - cancelledQuantity;

/** Nothing is due, and nobody still has to look at it: what was bought is delivered. */
const isDeliverable = (order: orders.Order): boolean =>
  order.paidAt !== null &&
  order.cancelledAt === null &&
  order.review !== 'waiting' &&
  orders.settlement(order) <= 0;

/**
 * Gives an order the licenses of its units: those that are missing are made once nothing is due any more, those of units
 * that are not part of it any more are revoked. However often it is called, a unit has one license (fulfilment section 5).
 *
 * @param change `contents` when the units of the order have changed: seats of one license follow them
 * @returns how many are still missing
 */
export async function settleLicenses(ctx: Ctx, orderId: string, change?: 'contents'): Promise<number> {
  const items = await licensedItems(ctx, orderId);
  if (items.length === 0) return 0;
  return ctx.tx(async (ctx) => {
    const order = (await orders.lockOrder(ctx, orderId)) as orders.Order;
    const mints = await repo.mintsOf(ctx, orderId);
    const buyer = { order, name: await nameOf(ctx, orderId) };
    let missing = 0;
    for (const item of items) {
      const own = mints.filter(({ orderItemId }) => orderItemId === item.id);
      await endSurplus(ctx, item, own);
      if (change === 'contents') await resize(ctx, item, own);
      missing += await makeMissing(ctx, item, own, buyer);
    }
    return missing;
  });
}

async function nameOf(ctx: Ctx, orderId: string): Promise<string | undefined> {
  const addresses = await orders.addressesOf(ctx, orderId);
  const one = addresses.find(({ kind }) => kind === 'billing') ?? addresses[0];
  return [one?.firstName, one?.lastName].filter((part) => part).join(' ') || undefined;
}

/** Units that were taken out of the order, or are not sent any more. */
async function endSurplus(ctx: Ctx, item: LicensedItem, own: readonly LicenseMint[]): Promise<void> {
  const ordered = own.filter(isOrdered);
  const surplus = ordered.length - rowsWanted(item, unitsOf(item));
  if (surplus <= 0) return;
  const ending = chosen(ordered, surplus, await machinesOf(ctx, ordered));
  await become(ctx, ending, { wanted: 'revoked', reason: REASONS.cancelled });
}

async function makeMissing(
  ctx: Ctx,
  item: LicensedItem,
  own: readonly LicenseMint[],
  buyer: Buyer,
): Promise<number> {
  const open = own.filter((mint) => mint.wanted === 'minted' && isMissing(mint));
  const last = Math.max(0, ...own.map(({ unitNo }) => unitNo));
  const count = rowsWanted(item, unitsOf(item)) - own.filter(isOrdered).length;
  const fresh = Array.from({ length: Math.max(0, count) }, (_, at) => newMint(ctx, item, last + at + 1));
  const waiting = [...open, ...fresh];
  if (waiting.length === 0) return 0;
  if (!isDeliverable(buyer.order)) {
    const nextAttemptAt = addSeconds(ctx.now(), UNPAID_SECONDS);
    for (const mint of waiting) await stored(ctx, { ...mint, nextAttemptAt }, fresh.includes(mint));
    return waiting.length;
  }
  const results = [];
  for (const mint of waiting) {
    const result = await made(ctx, item, mint, { buyer, units: unitsOf(item) });
    await stored(ctx, result.mint, fresh.includes(mint));
    results.push(result);
  }
  await noteMade(ctx, item, results);
  return results.filter(({ mint }) => mint.status !== 'minted').length;
}
