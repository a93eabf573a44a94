import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { giftCardEvents } from './events.ts';
import { findByCode } from './gift-cards.ts';
import { countOwned, listOwned } from './queries.ts';
import type { GiftCard } from './record.ts';
import * as repo from './repository.ts';

/** Cards that a customer has attached to the account or has bought, the newest first. */
export async function ownedBy(
  ctx: Ctx,
  customerId: string,
  page: number,
  perPage: number,
): Promise<{ cards: GiftCard[]; total: number }> {
  const cards = await listOwned(ctx, customerId, perPage, (page - 1) * perPage);
  return { cards, total: await countOwned(ctx, customerId) };
}

const refused = () =>
  fail('VALIDATION_ERROR', 'no gift card has this code; check it and try again', {
    details: { reason: 'GIFT_CARD_INVALID' },
  });

/**
 * Attaches the card of a code to an account. Of two who claim one at once, one gets it; again by the same: unchanged.
 *
 * @throws AppError VALIDATION_ERROR, reason GIFT_CARD_INVALID, the same for unknown codes and for cards of others
 */
export async function claim(ctx: Ctx, customerId: string, typed: string): Promise<GiftCard> {
  const card = await findByCode(ctx, typed);
  if (!card || card.status === 'pending') throw refused();
  return ctx.tx(async (ctx) => {
    const before = await repo.lockCard(ctx, card.id);
    if (!before || (before.ownerCustomerId !== null && before.ownerCustomerId !== customerId))
      throw refused();
    if (before.ownerCustomerId === customerId) return before;
    const after: GiftCard = { ...before, ownerCustomerId: customerId, updatedAt: ctx.now() };
    await repo.updateCard(ctx, after);
    await giftCardEvents.tell(
      ctx,
      'gift_card.claimed',
      after.id,
      { last4: after.last4, currency: after.currency },
      { before, after },
    );
    return after;
  });
}
