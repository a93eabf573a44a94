import { moneyWords } from '#kernel/money-words.ts';
import type { Tone } from '#platform/admin/index.ts';
import { configuredProcessors } from '../processors/index.ts';

/** An amount as staff read it. */
export const money = (amountCents: number, currency: string): string =>
  moneyWords({ amountCents, currency }, 'en');

const tones: Readonly<Record<string, Tone>> = {
  pending: 'info',
  processing: 'info',
  on_hold: 'warn',
  shipped: 'ok',
  completed: 'ok',
  cancelled: 'muted',
  unpaid: 'warn',
  partially_paid: 'warn',
  authorized: 'info',
  paid: 'ok',
  captured: 'ok',
  succeeded: 'ok',
  failed: 'bad',
  refunded: 'muted',
  partially_refunded: 'muted',
  voided: 'muted',
  unfulfilled: 'warn',
  partially_fulfilled: 'warn',
  fulfilled: 'ok',
  delivered: 'ok',
  handled: 'ok',
  received: 'info',
  requested: 'warn',
  in_progress: 'info',
  partially_returned: 'muted',
  returned: 'muted',
  low: 'muted',
  medium: 'warn',
  high: 'bad',
  waiting: 'warn',
  approved: 'ok',
  rejected: 'muted',
};

/** How serious a state of an order, a payment or a shipment is. */
export const toneOf = (state: string): Tone => tones[state] ?? 'muted';

/** `on_hold` is `on hold`. */
export const stateWords = (state: string): string => state.replaceAll('_', ' ');

/** The name of a processor by which staff know it; one that is gone keeps its id. */
export const processorWords = (id: string): string =>
  id === 'on_account'
    ? 'On account'
    : id === 'offline'
      ? 'Bank transfer or other offline payment'
      : (configuredProcessors.find((one) => one.id === id)?.displayName ?? id);

const REFUND_TO: Readonly<Record<string, string>> = {
  original: 'Original payment method',
  gift_card: 'A new gift card',
  offline: 'Refunded by hand',
};

/** Where the money of a refund goes. */
export const refundToWords = (to: string): string => REFUND_TO[to] ?? to;
