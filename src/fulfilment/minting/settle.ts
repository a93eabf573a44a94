import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { disputedPayment } from '#storefront/orders/payments/index.ts';
import { chosen, isMissing, isOrdered, REASONS } from './choose.ts';
import { become, machinesOf, resize } from './effects.ts';
import { type Buyer, made, newMint, noteMade, rowsWanted, stored } from './mint.ts';
import { type LicensedItem, licensedItems } from './queries.ts';
import type { LicenseMint } from './record.ts';
import * as repo from './repository.ts';

/** An order is looked at again so long after it got lines that are not paid yet, or was disputed. */
const WAITING_SECONDS = 3600;

const unitsOf = ({ quantity, cancelledQuantity }: LicensedItem): number => quantity - cancelledQuantity;

/** What of an order may be made now. */
interface Makeable {
  /** What was paid for and could not be made then, whatever was given back since. */
  readonly failed: boolean;
  /** What was added: only once nothing is due. */
  readonly fresh: boolean;
}

async function makeableOf(ctx: Ctx, order: orders.Order): Promise<Makeable> {
  const isSold = ctx.settings.get(featureSettings.licenses_enabled);
  // What a bank asks about is not delivered until it is decided.
  if (!isSold || (await disputedPayment(ctx, order.id)) !== null) return { failed: false, fresh: false };
  return { failed: orders.wasPaid(order), fresh: orders.isDeliverable(order) };
}

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
    if (order.paidAt === null) return 0;
    const mints = await repo.mintsOf(ctx, orderId);
    const buyer = { order, name: await nameOf(ctx, orderId) };
    const makeable = await makeableOf(ctx, order);
    let missing = 0;
    for (const item of items) {
      const own = mints.filter(({ orderItemId }) => orderItemId === item.id);
      await endSurplus(ctx, item, own);
      if (change === 'contents') await resize(ctx, item, own, { mayGrow: makeable.fresh });
      missing += await makeMissing(ctx, item, own, { buyer, makeable });
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
  { buyer, makeable }: { readonly buyer: Buyer; readonly makeable: Makeable },
): Promise<number> {
  const open = own.filter((mint) => mint.wanted === 'minted' && isMissing(mint));
  const last = Math.max(0, ...own.map(({ unitNo }) => unitNo));
  const count = rowsWanted(item, unitsOf(item)) - own.filter(isOrdered).length;
  const fresh = Array.from({ length: Math.max(0, count) }, (_, at) => newMint(ctx, item, last + at + 1));
  const mayMake = (mint: LicenseMint): boolean =>
    mint.status === 'failed' ? makeable.failed : makeable.fresh;
  const results = [];
  let waiting = 0;
  for (const mint of [...open, ...fresh]) {
    if (!mayMake(mint)) {
      const nextAttemptAt = addSeconds(ctx.now(), WAITING_SECONDS);
      await stored(ctx, { ...mint, nextAttemptAt }, fresh.includes(mint));
      waiting += 1;
      continue;
    }
    const result = await made(ctx, item, mint, { buyer, units: unitsOf(item) });
    await stored(ctx, result.mint, fresh.includes(mint));
    results.push(result);
  }
  if (results.length > 0) await noteMade(ctx, item, results);
  return waiting + results.filter(({ mint }) => mint.status !== 'minted').length;
}
