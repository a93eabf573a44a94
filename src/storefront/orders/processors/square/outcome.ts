import type { Square } from 'square';
import type { Outcome } from '../contract.ts';
import { cardLabel, declinedOutcome, outcomeOf } from '../outcome.ts';
import { redacted } from '../redact.ts';
import { declineCodeOf } from './failure.ts';

/** Square counts in minor units of ISO 4217. */
export const moneyOf = (amountCents: number, currency: string): Square.Money => ({
  amount: BigInt(amountCents),
  currency: currency as Square.Currency,
});

export const askedOf = (money: Square.Money | undefined) => ({
  amountCents: Number(money?.amount ?? 0),
  currency: money?.currency ?? '',
});

const STATUS: Readonly<Record<string, Outcome['status']>> = {
  COMPLETED: 'captured',
  APPROVED: 'authorized',
  PENDING: 'pending',
  CANCELED: 'voided',
  FAILED: 'declined',
};

function methodOf(payment: Square.Payment): Pick<Outcome, 'methodLabel' | 'fingerprint' | 'country'> {
  const card = payment.cardDetails?.card;
  const wallet = payment.walletDetails?.brand;
  return {
    methodLabel: card ? cardLabel(card.cardBrand, card.last4) : (wallet ?? 'Card'),
    fingerprint: card?.fingerprint ?? null,
    country: payment.bankAccountDetails?.country ?? null,
  };
}

/** What a payment of Square is by now. */
export function outcomeOfPayment(payment: Square.Payment): Outcome {
  // One that this version does not know is looked at again later.
  const status = STATUS[payment.status ?? ''] ?? 'pending';
  const asked = askedOf(payment.totalMoney ?? payment.amountMoney);
  const known = { transactionId: payment.id ?? null, ...methodOf(payment), raw: redacted(payment) };
  if (status === 'declined')
    return declinedOutcome(asked, declineCodeOf(payment.cardDetails?.errors ?? []), known);
  return outcomeOf(asked, {
    status,
    ...known,
    ...(status === 'authorized' &&
      payment.delayedUntil && { authorizationExpiresAt: new Date(payment.delayedUntil).toISOString() }),
  });
}
