import type { Outcome, PayRequest } from './contract.ts';

/** Why a payment was declined, in the words that all processors share. */
export type DeclineCode =
  | 'card_declined'
  | 'insufficient_funds'
  | 'expired_card'
  | 'invalid_card'
  | 'incorrect_cvc'
  | 'authentication_failed'
  | 'amount_not_chargeable'
  | 'canceled'
  | 'unavailable';

/** For the buyer: what to do now. */
const MESSAGES: Readonly<Record<DeclineCode, string>> = {
  card_declined: 'The card was declined. Try another card, or ask your bank.',
  insufficient_funds: 'The card was declined for insufficient funds. Try another card.',
  expired_card: 'The card has expired. Try another card.',
  invalid_card: 'The card number is not valid. Check it, or try another card.',
  incorrect_cvc: 'The security code of the card is not correct. Check it and try again.',
  authentication_failed: 'The bank could not verify you. Try again, or try another card.',
  amount_not_chargeable: 'This amount cannot be paid this way. Choose another payment method.',
  canceled: 'The payment was canceled. Try again, or choose another payment method.',
  unavailable: 'This payment method does not work right now. Try again later, or choose another one.',
};

type Asked = Pick<PayRequest, 'amountCents' | 'currency'>;

/** What every outcome has; the rest overrides it. */
export const outcomeOf = (asked: Asked, rest: Pick<Outcome, 'status'> & Partial<Outcome>): Outcome => ({
  transactionId: null,
  amountCents: asked.amountCents,
  currency: asked.currency,
  methodLabel: '',
  fingerprint: null,
  country: null,
  raw: {},
  ...rest,
});

/** No money was taken. @param rest what is known of it beside the reason */
export const declinedOutcome = (asked: Asked, errorCode: DeclineCode, rest: Partial<Outcome> = {}): Outcome =>
  outcomeOf(asked, { status: 'declined', errorCode, message: MESSAGES[errorCode], ...rest });

/** Nobody knows whether money was taken: `lookup` decides. @param error in words for staff */
export const lostOutcome = (asked: Asked, error: string, rest: Partial<Outcome> = {}): Outcome =>
  outcomeOf(asked, { status: 'pending', raw: { error }, ...rest });

/** Where nobody asked for an amount. */
export const NO_AMOUNT: Asked = { amountCents: 0, currency: '' };

const BRANDS: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  american_express: 'American Express',
  discover: 'Discover',
  discover_diners: 'Diners Club',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  china_unionpay: 'UnionPay',
  interac: 'Interac',
};

/** `Visa •••• 4242`. */
export function cardLabel(brand: string | null | undefined, last4: string | null | undefined): string {
  const name = BRANDS[(brand ?? '').toLowerCase()] ?? 'Card';
  return last4 ? `${name} •••• ${last4}` : name;
}
