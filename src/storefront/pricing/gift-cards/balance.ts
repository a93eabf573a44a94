import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { findByCode } from './gift-cards.ts';
import type { GiftCard } from './record.ts';
import { freeCents, shownStatus } from './rules.ts';

/** What a shopper is told of a card. */
export interface ShownBalance extends Pick<GiftCard, 'last4' | 'currency' | 'expiresAt' | 'status'> {
  /** What can be spent: neither what orders hold, nor what a disabled or expired card has. */
  readonly freeCents: number;
}

/**
 * What is left on the card of a code. Every code that no card has is refused in the same words.
 *
 * @param typed as somebody typed it
 * @throws AppError VALIDATION_ERROR, reason GIFT_CARD_INVALID
 */
export async function balanceOf(ctx: Ctx, typed: string): Promise<ShownBalance> {
  const card = await findByCode(ctx, typed);
  // Nobody has been sent the code of a card that waits for its time.
  if (!card || card.status === 'pending')
    throw fail('VALIDATION_ERROR', 'no gift card has this code; check it and try again', {
      details: { reason: 'GIFT_CARD_INVALID' },
    });
  const { last4, currency, expiresAt } = card;
  const status = shownStatus(card, ctx.now());
  return { last4, currency, expiresAt, status, freeCents: status === 'active' ? freeCents(card) : 0 };
}
