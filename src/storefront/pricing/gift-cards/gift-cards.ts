import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { giftCardExpiryDays } from '#storefront/contract/selling-settings.ts';
import { hashOf, normOf } from './code.ts';
import { giftCardEvents } from './events.ts';
import { noteEntry } from './ledger.ts';
import { giftCardRows } from './queries.ts';
import type { GiftCard } from './record.ts';
import * as repo from './repository.ts';
import { statusWith } from './rules.ts';
import {
  Disabling,
  GiftCardAdjustment,
  type GiftCardAdjustmentInput,
  GiftCardUpdate,
  type GiftCardUpdateInput,
} from './schemas.ts';

/** A gift card. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<GiftCard> =>
  (await giftCardRows.find(ctx, id)) ?? missing(id);

export function missing(id: string): never {
  throw fail('NOT_FOUND', `gift card ${id} does not exist`);
}

/** The card, locked. @throws AppError NOT_FOUND */
export const lock = async (ctx: Ctx, id: string): Promise<GiftCard> =>
  (await repo.lockCard(ctx, id)) ?? missing(id);

/**
 * The card of a code, however it is spelled. What cannot be a code is looked up all the same: how long it takes says
 * nothing.
 *
 * @param typed as somebody typed it
 * @returns null when no card has it
 */
export async function findByCode(ctx: Ctx, typed: string): Promise<GiftCard | null> {
  const norm = normOf(typed);
  const found = await repo.findByHash(ctx, hashOf(ctx, norm ?? '-'));
  return norm === null ? null : found;
}

/** CONFLICT that the store answers with its reason. */
export const refuse = (message: string) =>
  fail('CONFLICT', message, { details: { reason: 'INVALID_TRANSITION' } });

export const nameOf = ({ last4 }: Pick<GiftCard, 'last4'>): string => `gift card ending in ${last4}`;

/** An amount of a card as sentences say it. */
export const amountWords = (amountCents: number, currency: string): string =>
  `${decimalOf({ amountCents, currency })} ${currency}`;

export const toldOf = ({ last4, currency }: GiftCard) => ({ last4, currency });

/** When a card that is issued now expires; null for never. */
export function usualExpiry(ctx: Ctx): string | null {
  const days = ctx.settings.get(giftCardExpiryDays);
  return days === 0 ? null : addSeconds(ctx.now(), days * SECONDS_PER_DAY);
}

/** @throws AppError VALIDATION_ERROR */
export function requireFuture(ctx: Ctx, expiresAt: string | null | undefined): void {
  if (expiresAt && expiresAt <= ctx.now())
    throw invalidField(
      'expires_at',
      `${expiresAt} is in the past; choose a time in the future, or disable the card`,
    );
}

/**
 * Changes whom a card is for, when it expires and what staff note of it; what is not sent stays, null clears. A call that
 * changes nothing writes nothing.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an expiry in the past; CONFLICT, reason INVALID_TRANSITION, for the
 *   expiry of a card that has expired: its balance is gone
 */
export async function change(ctx: Ctx, id: string, input: GiftCardUpdateInput): Promise<GiftCard> {
  const sent = sentFields(checkInput(GiftCardUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id);
    const wanted = { ...before, ...sent };
    const changes = changesBetween(before, wanted);
    if (Object.keys(changes).length === 0) return before;
    if (before.expiresAt !== wanted.expiresAt) {
      requireFuture(ctx, wanted.expiresAt);
      if (before.status === 'expired')
        throw refuse(`${nameOf(before)} has expired and its balance is gone; issue a new one instead`);
    }
    const after = await store(ctx, wanted);
    await giftCardEvents.tell(ctx, 'gift_card.updated', id, toldOf(after), { before, after });
    return after;
  });
}

/** Stores a card that the transaction has locked. */
export async function store(ctx: Ctx, wanted: GiftCard): Promise<GiftCard> {
  const after = { ...wanted, updatedAt: ctx.now() };
  await repo.updateCard(ctx, after);
  return after;
}

/** What an adjustment would leave. @throws AppError CONFLICT; VALIDATION_ERROR */
export function adjusted(before: GiftCard, deltaCents: number): GiftCard {
  const { status, heldCents, currency } = before;
  if (status !== 'active' && status !== 'redeemed')
    throw refuse(`${nameOf(before)} is ${status}; only active and redeemed cards can be adjusted`);
  const balanceCents = before.balanceCents + deltaCents;
  const had = amountWords(before.balanceCents, currency);
  if (balanceCents > MAX_AMOUNT_CENTS)
    throw invalidField(
      'delta_cents',
      `the balance can be at most ${amountWords(MAX_AMOUNT_CENTS, currency)}`,
    );
  if (balanceCents < heldCents)
    throw invalidField(
      'delta_cents',
      heldCents === 0
        ? `the balance is ${had} and cannot fall below 0`
        : `the balance is ${had}, of which orders reserve ${amountWords(heldCents, currency)}; it cannot fall below that`,
    );
  return { ...before, balanceCents, status: statusWith(balanceCents) };
}

/**
 * Raises or lowers the balance of a card by hand.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR where less would be left than orders hold; CONFLICT, reason
 *   INVALID_TRANSITION, for a card that is neither active nor redeemed
 */
export async function adjust(ctx: Ctx, id: string, input: GiftCardAdjustmentInput): Promise<GiftCard> {
  const { deltaCents, reason } = checkInput(GiftCardAdjustment, input);
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id);
    const after = await store(ctx, adjusted(before, deltaCents));
    await noteEntry(ctx, after, { type: 'adjust', deltaCents, note: reason });
    const told = { ...toldOf(after), deltaCents };
    await giftCardEvents.tell(ctx, 'gift_card.adjusted', id, told, { before, after, note: reason });
    return after;
  });
}

/**
 * Stops a card from being used; it can be enabled again.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, while an order holds some of it, and for a card that
 *   is neither pending nor active
 */
export async function disable(ctx: Ctx, id: string, input: { readonly reason: string }): Promise<GiftCard> {
  const { reason } = checkInput(Disabling, input);
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id);
    if (before.status !== 'active' && before.status !== 'pending')
      throw refuse(`${nameOf(before)} is ${before.status}; only active and pending cards can be disabled`);
    if (before.heldCents > 0)
      throw refuse(
        `an order reserves ${amountWords(before.heldCents, before.currency)} of the ${nameOf(before)}; wait until the order is paid or canceled`,
      );
    const after = await store(ctx, { ...before, status: 'disabled' });
    await giftCardEvents.tell(ctx, 'gift_card.disabled', id, toldOf(after), { before, after, note: reason });
    return after;
  });
}

/**
 * Lets a disabled card be used again. One that was never sent waits for its time once more.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, for a card that is not disabled
 */
export async function enable(ctx: Ctx, id: string): Promise<GiftCard> {
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id);
    if (before.status !== 'disabled') throw refuse(`${nameOf(before)} is ${before.status}, not disabled`);
    const { balanceCents, deliveredAt, sendAt } = before;
    const isWaiting = balanceCents > 0 && deliveredAt === null && sendAt !== null && sendAt > ctx.now();
    const status = isWaiting ? 'pending' : statusWith(balanceCents);
    const after = await store(ctx, { ...before, status });
    await giftCardEvents.tell(ctx, 'gift_card.enabled', id, toldOf(after), { before, after });
    return after;
  });
}
