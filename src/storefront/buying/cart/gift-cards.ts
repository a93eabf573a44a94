import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { paymentsOf } from '#storefront/orders/payments/index.ts';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import type { Cart, CartCode } from './record.ts';

/** A gift card that pays a part of a cart, with what is free on it. */
export interface HeldCard {
  readonly id: string;
  readonly last4: string;
  readonly freeCents: number;
}

/**
 * The gift cards of a cart that can be used now, in the order in which they were entered. What an order of the same cart
 * holds, which was not placed, is free for this cart.
 */
export async function giftCardsOf(
  ctx: Ctx,
  cart: Pick<Cart, 'orderId' | 'currency'>,
  codes: readonly CartCode[],
): Promise<HeldCard[]> {
  const found: HeldCard[] = [];
  const entered = codes.filter(({ kind }) => kind === 'gift_card');
  if (entered.length === 0) return found;
  const own = cart.orderId === null ? [] : await paymentsOf(ctx, cart.orderId);
  for (const { refId } of entered) {
    const card = await cardOf(ctx, refId);
    if (!card || card.currency !== cart.currency || !giftCards.usable(card, ctx.now())) continue;
    const held = own
      .filter(({ giftCardId, status }) => giftCardId === refId && status === 'authorized')
      .reduce((sum, { amountCents }) => sum + amountCents, 0);
    found.push({ id: card.id, last4: card.last4, freeCents: giftCards.freeCents(card) + held });
  }
  return found;
}

async function cardOf(ctx: Ctx, id: string): Promise<giftCards.GiftCard | null> {
  try {
    return await giftCards.get(ctx, id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/**
 * The gift card with a code, as a cart takes it.
 *
 * @throws AppError VALIDATION_ERROR, reason GIFT_CARD_INVALID, the same for an unknown code and a card that cannot be used;
 *   GIFT_CARD_EMPTY
 */
export async function usableCard(ctx: Ctx, currency: string, code: string): Promise<giftCards.GiftCard> {
  const card = await giftCards.findByCode(ctx, code);
  if (
    !card ||
    card.currency !== currency ||
    !(giftCards.usable(card, ctx.now()) || card.status === 'redeemed')
  )
    throw fail('VALIDATION_ERROR', 'This gift card is not valid', {
      details: {
        reason: 'GIFT_CARD_INVALID',
        issues: [{ path: 'code', rule: 'invalid', message: 'is not valid' }],
      },
    });
  if (giftCards.freeCents(card) > 0) return card;
  throw fail('VALIDATION_ERROR', 'This gift card has no balance left', {
    details: { reason: 'GIFT_CARD_EMPTY' },
  });
}
