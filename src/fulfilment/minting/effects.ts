import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { tellStaff } from '#platform/staff-mail/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { isRefunded, REASONS } from './choose.ts';
import { tellHolder } from './holder-mails.ts';
import { activationsOf, failedMint, isOfTheDatabase, unitsHeld } from './mint.ts';
import { exchangedUnits, type LicensedItem, refundedUnits } from './queries.ts';
import type { LicenseMint, Wanted } from './record.ts';
import * as repo from './repository.ts';

/** What licenses are to become, and why. */
export interface Wish {
  readonly wanted: Wanted;
  readonly reason: string | null;
  /** The return or the payment that suspends them. */
  readonly holdRef?: string | null;
  /** What staff wrote, for the history of the license. */
  readonly note?: string | null;
}

/** Machines in use of licenses, by license. */
export async function machinesOf(
  ctx: Ctx,
  mints: readonly LicenseMint[],
): Promise<ReadonlyMap<string, number>> {
  const made = mints.flatMap(({ licenseId }) => (licenseId === null ? [] : [licenseId]));
  if (made.length === 0) return new Map();
  const cards = await licenses.cardsOf(ctx, { ids: made });
  return new Map(cards.map(({ id, activationsUsed }) => [id, activationsUsed]));
}

/**
 * Lets licenses become something else, with the transaction of what has happened to their order. What the license service
 * cannot do is kept with the row and tried again; what has happened to the order stands (fulfilment section 6).
 *
 * @param mints of an order that the transaction has locked
 * @throws what the database throws
 */
export async function become(ctx: Ctx, mints: readonly LicenseMint[], wish: Wish): Promise<LicenseMint[]> {
  const results: LicenseMint[] = [];
  for (const mint of mints) {
    const wished = {
      ...mint,
      wanted: wish.wanted,
      reason: wish.reason,
      holdRef: wish.holdRef ?? null,
      updatedAt: ctx.now(),
    };
    const result = await carriedOut(ctx, wished, wish.note ?? null);
    await repo.updateMint(ctx, result);
    if (result.error !== null && mint.error === null)
      await tellStaff(ctx, 'admin_license_problem', mint.orderId);
    results.push(result);
  }
  await noted(ctx, mints, results);
  await tellHolder(ctx, mints, results);
  return results;
}

/** Does what a row wants. @returns the row as it is to be stored */
export async function carriedOut(ctx: Ctx, mint: LicenseMint, note: string | null): Promise<LicenseMint> {
  const { licenseId, wanted } = mint;
  const done: LicenseMint = { ...mint, status: wanted, error: null, nextAttemptAt: null };
  const { renewedDays } = mint;
  // What was never made cannot be suspended: it stays missing, or is given up.
  if (licenseId === null && renewedDays === null) return wanted === 'revoked' ? done : mint;
  try {
    if (licenseId === null) await ctx.part((ctx) => takeBack(ctx, mint));
    return {
      ...done,
      status: licenseId === null ? wanted : await ctx.part((ctx) => apply(ctx, { ...mint, licenseId }, note)),
    };
  } catch (error) {
    if (isOfTheDatabase(error)) throw error;
    ctx.log.warn({ err: error, order: mint.orderId, mint: mint.id }, 'a license of an order was not changed');
    return failedMint(ctx, mint, error);
  }
}

/**
 * Takes back the time that was bought: the license ends when it would have without it, and rests where that is over
 * (fulfilment section 7).
 */
async function takeBack(ctx: Ctx, { renews, renewedDays, wanted }: LicenseMint): Promise<void> {
  if (wanted !== 'revoked' || renews === null || renewedDays === null) return;
  const [card] = await licenses.cardsOf(ctx, { ids: [renews] });
  if (!card?.validUntil || card.status === 'REVOKED') return;
  const end = addSeconds(card.validUntil, -renewedDays * SECONDS_PER_DAY);
  if (end > ctx.now()) await licenses.renew(ctx, { licenseId: renews }, end);
  else await licenses.suspend(ctx, renews, { reason: 'REFUND', note: null });
}

/** For what an order suspends licenses; for anything else somebody else has. */
const OWN_REASONS: ReadonlySet<string | null> = new Set([REASONS.refund, REASONS.return, REASONS.dispute]);

/**
 * Lets a license work again that an order has let rest. One that staff have suspended for something else stays as it is,
 * whatever becomes of the order, until they say so themselves.
 */
async function bringBack(ctx: Ctx, licenseId: string, note: string | null): Promise<void> {
  const { suspendedReason } = await licenses.get(ctx, licenseId);
  if (note !== null || OWN_REASONS.has(suspendedReason)) await licenses.reinstate(ctx, licenseId);
}

/** @returns what the license is now: one that is revoked, or gone, stays so */
async function apply(
  ctx: Ctx,
  { licenseId, wanted, reason }: LicenseMint & { licenseId: string },
  note: string | null,
): Promise<Wanted> {
  try {
    if (wanted === 'revoked') await licenses.revoke(ctx, { licenseId }, note ?? reason);
    else if (wanted === 'suspended')
      await licenses.suspend(ctx, licenseId, { reason: (reason ?? 'ADMIN') as licenses.SuspendReason, note });
    else await bringBack(ctx, licenseId, note);
    return wanted;
  } catch (error) {
    const isOver = error instanceof AppError && ['NOT_FOUND', 'CONFLICT'].includes(error.code);
    if (!isOver) throw error;
    return 'revoked';
  }
}

/** One line of the history of an order for what became of its licenses. */
async function noted(ctx: Ctx, before: readonly LicenseMint[], after: readonly LicenseMint[]): Promise<void> {
  const changed = after.filter(({ status }, at) => status !== before[at]?.status);
  const [first] = changed;
  if (!first) return;
  const made = changed.flatMap(({ licenseId }) => (licenseId === null ? [] : [licenseId]));
  await orders.note(ctx, first.orderId, {
    type: 'license',
    data: { order_item_id: first.orderItemId, status: first.status, reason: first.reason, licenses: made },
    visibleToCustomer: true,
  });
}

/**
 * Gives the one license of seats as many as are left of the line: neither cancelled, nor refunded, nor exchanged. Of a
 * renewal, as much of the time stays.
 *
 * @param how `mayGrow`: everything is paid
 */
export async function resize(
  ctx: Ctx,
  item: LicensedItem,
  own: readonly LicenseMint[],
  { mayGrow }: { readonly mayGrow: boolean },
): Promise<void> {
  const [seats] = own;
  if (item.license.quantityMode !== 'seats' || !seats || isRefunded(seats)) return;
  const units = item.quantity - item.cancelledQuantity - (await unitsBack(ctx, item));
  if (units <= 0 || seats.wanted === 'revoked') return;
  if (seats.renews !== null) return shorten(ctx, item, seats, units);
  if (seats.licenseId === null) return;
  const wanted = await activationsOf(ctx, item, units);
  const [card] = await licenses.cardsOf(ctx, { ids: [seats.licenseId] });
  if (!card || card.maxActivations === wanted || (card.maxActivations < wanted && !mayGrow)) return;
  await licenses.setSeats(ctx, seats.licenseId, wanted);
}

/** Units of a line that came back: their money did, or something else was sent for them. */
async function unitsBack(ctx: Ctx, { id, orderId }: LicensedItem): Promise<number> {
  const refunded = (await refundedUnits(ctx, orderId)).get(id) ?? 0;
  return refunded + ((await exchangedUnits(ctx, orderId)).get(id) ?? 0);
}

/** Takes the share of a renewal of seats back that is not paid any more. */
async function shorten(ctx: Ctx, item: LicensedItem, mint: LicenseMint, units: number): Promise<void> {
  const { renewedDays, renews } = mint;
  const bought = item.license.durationDays;
  if (renewedDays === null || renews === null || bought === null) return;
  const held = await unitsHeld(ctx, item, renews);
  const days = renewedDays - Math.max(1, Math.floor((bought * units) / held));
  if (days <= 0) return;
  await ctx.part((ctx) => takeBack(ctx, { ...mint, renewedDays: days, wanted: 'revoked' }));
  await repo.updateMint(ctx, { ...mint, renewedDays: renewedDays - days, updatedAt: ctx.now() });
}
