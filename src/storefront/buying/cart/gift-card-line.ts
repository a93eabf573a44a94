import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { isMailAddress } from '#platform/mail/index.ts';
import { giftCardMaxCents, giftCardMinCents } from '#storefront/contract/selling-settings.ts';
import type { GiftData } from '#storefront/orders/orders/index.ts';
import type { Goods } from './queries.ts';

/** How far ahead a gift card can be sent. */
const MOST_DAYS_AHEAD = 366;

/**
 * Demands that a line says what its gift card is worth, and that no other line does.
 *
 * @throws AppError VALIDATION_ERROR for an amount beyond the bounds of the shop, an address that no mail reaches, and a
 *   time that is over or more than a year away
 */
export function requireKind(ctx: Ctx, { type, currency }: Goods, giftCard: GiftData | null): void {
  if (type !== 'gift_card') {
    if (giftCard === null) return;
    throw invalidField('gift_card', 'is for gift cards only; leave it out');
  }
  if (giftCard === null)
    throw invalidField('gift_card.amount_cents', 'is required: the amount of the gift card');
  const { amountCents, recipientEmail, sendAt } = giftCard;
  const [least, most] = [ctx.settings.get(giftCardMinCents), ctx.settings.get(giftCardMaxCents)];
  const words = (cents: number) => `${cents} (${moneyWords({ amountCents: cents, currency }, 'en')})`;
  if (amountCents < least || amountCents > most)
    throw invalidField('gift_card.amount_cents', `must be from ${words(least)} to ${words(most)}`);
  if (recipientEmail !== null && !isMailAddress(recipientEmail))
    throw invalidField('gift_card.recipient_email', 'must be one email address, such as ann@example.com');
  if (sendAt !== null) requireTime(ctx, sendAt);
}

function requireTime(ctx: Ctx, sendAt: string): void {
  if (sendAt <= ctx.now())
    throw invalidField(
      'gift_card.send_at',
      'is in the past; leave it out to send the gift card once it is paid',
    );
  if (sendAt > addSeconds(ctx.now(), MOST_DAYS_AHEAD * SECONDS_PER_DAY))
    throw invalidField('gift_card.send_at', 'must be at most one year from now');
}
