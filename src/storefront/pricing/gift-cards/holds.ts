import type { Ctx } from '#kernel/context.ts';
import { conflict, fail } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import { amountWords, lock, nameOf, store, usualExpiry } from './gift-cards.ts';
import { noteEntry } from './ledger.ts';
import { spentBy } from './queries.ts';
import type { GiftCard, GiftCardHold } from './record.ts';
import * as repo from './repository.ts';
import { freeCents, isOver, statusWith, usable } from './rules.ts';

/** An amount of a card that an order pays with. */
export interface Part {
  readonly giftCardId: string;
  readonly orderId: string;
  readonly amountCents: number;
}

const refused = (reason: 'GIFT_CARD_EMPTY' | 'GIFT_CARD_INVALID', message: string, more: object) =>
  fail('VALIDATION_ERROR', message, { details: { reason, ...more } });

/**
 * Holds an amount of a card for an order, in the transaction that places it: by one conditional UPDATE, cards in the order
 * of their ids (P11).
 *
 * @throws AppError VALIDATION_ERROR, reason GIFT_CARD_EMPTY with what is free, or GIFT_CARD_INVALID for a card that
 *   cannot be used; CONFLICT when the order has taken some of the card already
 */
export async function hold(ctx: Ctx, { giftCardId, orderId, amountCents }: Part): Promise<void> {
  requireAmount(amountCents);
  await ctx.tx(async (ctx) => {
    const card = await repo.takeCents(ctx, giftCardId, amountCents);
    if (!card) throw await whyNot(ctx, giftCardId);
    const before = await repo.findHold(ctx, giftCardId, orderId);
    if (before && before.status !== 'released')
      throw conflict(`the order ${orderId} has taken some of the ${nameOf(card)} already`);
    const now = ctx.now();
    const one: GiftCardHold = {
      id: before?.id ?? ctx.newId(ids.giftCardHold),
      giftCardId,
      orderId,
      amountCents,
      status: 'held',
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    await (before ? repo.updateHold(ctx, one) : repo.insertHold(ctx, one));
  });
}

/** A program that holds nothing, or less than nothing, is wrong. */
function requireAmount(amountCents: number): void {
  if (!Number.isSafeInteger(amountCents) || amountCents < 1)
    throw new RangeError(`${amountCents} is not an amount that a gift card can pay`);
}

async function whyNot(ctx: Ctx, giftCardId: string) {
  const card = await repo.lockCard(ctx, giftCardId);
  const named = { gift_card_id: giftCardId };
  if (!card) return refused('GIFT_CARD_INVALID', 'this gift card is not valid', named);
  const isEmpty = card.status === 'redeemed' || usable(card, ctx.now());
  if (!isEmpty) return refused('GIFT_CARD_INVALID', `the ${nameOf(card)} cannot be used`, named);
  const free = freeCents(card);
  const left = free === 0 ? 'nothing is' : `only ${amountWords(free, card.currency)} are`;
  return refused('GIFT_CARD_EMPTY', `${left} left on the ${nameOf(card)}`, { ...named, free_cents: free });
}

/**
 * What an order holds of a card is spent, in the transaction that settles the order.
 *
 * @returns the id of the ledger's row
 * @throws AppError NOT_FOUND; CONFLICT unless the order holds exactly this amount
 */
export async function spend(ctx: Ctx, part: Part): Promise<string> {
  const { giftCardId, orderId, amountCents } = part;
  return ctx.tx(async (ctx) => {
    const card = await lock(ctx, giftCardId);
    const before = await repo.findHold(ctx, giftCardId, orderId);
    if (before?.status !== 'held')
      throw conflict(`the order ${orderId} holds nothing of the ${nameOf(card)}`);
    requireSame(card, before, amountCents);
    await repo.updateHold(ctx, { ...before, status: 'spent', updatedAt: ctx.now() });
    const balanceCents = card.balanceCents - amountCents;
    const heldCents = card.heldCents - amountCents;
    const after = await store(ctx, { ...card, balanceCents, heldCents, status: statusWith(balanceCents) });
    return noteEntry(ctx, after, { type: 'redeem', deltaCents: -amountCents, orderId });
  });
}

function requireSame(card: GiftCard, { orderId, amountCents: held }: GiftCardHold, amountCents: number) {
  if (held !== amountCents)
    throw conflict(
      `the order ${orderId} holds ${amountWords(held, card.currency)} of the ${nameOf(card)}, not ${amountWords(amountCents, card.currency)}`,
    );
}

/**
 * Gives back what an order holds of a card and has not spent, in the transaction that ends the order.
 *
 * @returns whether this call gave it back: it goes back once
 * @throws AppError NOT_FOUND; CONFLICT when the order holds another amount
 */
export async function giveBack(ctx: Ctx, { giftCardId, orderId, amountCents }: Part): Promise<boolean> {
  return ctx.tx(async (ctx) => {
    const card = await lock(ctx, giftCardId);
    const before = await repo.findHold(ctx, giftCardId, orderId);
    if (before?.status !== 'held') return false;
    requireSame(card, before, amountCents);
    await repo.updateHold(ctx, { ...before, status: 'released', updatedAt: ctx.now() });
    await store(ctx, { ...card, heldCents: card.heldCents - amountCents });
    return true;
  });
}

/**
 * Money comes back to a card because its order was cancelled.
 *
 * @returns the id of the ledger's row
 * @throws AppError as `refundTo` does
 */
export const reverse = (ctx: Ctx, part: Part): Promise<string> => credit(ctx, part, 'reverse', null);

/**
 * Money comes back to a card that an order was paid with, by a refund.
 *
 * @returns the id of the ledger's row
 * @throws AppError NOT_FOUND; CONFLICT for more than the order has spent of the card and not got back
 */
export const refundTo = (
  ctx: Ctx,
  { refundId, ...part }: Part & { readonly refundId: string },
): Promise<string> => credit(ctx, part, 'refund', refundId);

async function credit(
  ctx: Ctx,
  { giftCardId, orderId, amountCents }: Part,
  type: 'reverse' | 'refund',
  refundId: string | null,
): Promise<string> {
  requireAmount(amountCents);
  return ctx.tx(async (ctx) => {
    const card = await lock(ctx, giftCardId);
    const spent = await spentBy(ctx, giftCardId, orderId);
    if (amountCents > spent)
      throw conflict(
        `the order ${orderId} has ${amountWords(spent, card.currency)} of the ${nameOf(card)} to get back, not ${amountWords(amountCents, card.currency)}`,
      );
    const after = await store(ctx, credited(ctx, card, amountCents));
    return noteEntry(ctx, after, { type, deltaCents: amountCents, orderId, refundId });
  });
}

/** Nobody loses what a refund brings: a card whose time is over is valid again, as long as a new one. */
function credited(ctx: Ctx, card: GiftCard, amountCents: number): GiftCard {
  const balanceCents = card.balanceCents + amountCents;
  if (card.status === 'disabled') return { ...card, balanceCents };
  const expiresAt = isOver(card, ctx.now()) ? usualExpiry(ctx) : card.expiresAt;
  return { ...card, balanceCents, status: 'active', expiresAt };
}
