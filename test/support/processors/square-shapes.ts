// Objects of Square's API, as far as the stand-in has them.
import type { Answer } from './loopback.ts';

export type Fields = Record<string, unknown>;
export type Money = { amount: number; currency: string };
export type Payment = Fields & { id: string; status: string; amount_money: Money; total_money: Money };
export type Refund = Fields & { id: string; payment_id: string; status: string; amount_money: Money };
export type Link = Fields & { id: string; order_id: string; url: string };
export type Order = Fields & {
  id: string;
  state: string;
  total_money: Money;
  tenders?: { payment_id: string }[];
};

export const SQUARE_KEYS = {
  square_application_id: 'sandbox-sq0idb-loopback',
  square_location_id: 'LOOPBACK1',
  square_access_token: 'EAAA_loopback_token_0001',
  square_webhook_signature_key: 'loopback_signature_key_0001',
  square_environment: 'sandbox',
};

export const failure = (
  status: number,
  code: string,
  category = 'INVALID_REQUEST_ERROR',
  more: Fields = {},
): Answer => ({
  status,
  body: { errors: [{ category, code, detail: `${code} on this machine` }], ...more },
});

/** Test sources of Square that are declined. */
export const DECLINES: Record<string, string> = {
  'cnon:card-nonce-declined': 'GENERIC_DECLINE',
  'cnon:card-nonce-rejected-cvv': 'CVV_FAILURE',
  'cnon:card-nonce-rejected-expiration': 'INVALID_EXPIRATION',
  'cnon:insufficient': 'INSUFFICIENT_FUNDS',
};

/** What was paid back of these payments. */
export const backOf = (refunds: ReadonlyMap<string, Refund>, paymentIds: ReadonlySet<string>): number =>
  [...refunds.values()]
    .filter((one) => paymentIds.has(one.payment_id) && !['REJECTED', 'FAILED'].includes(one.status))
    .reduce((sum, one) => sum + one.amount_money.amount, 0);
