import { moneyWords } from '#kernel/money-words.ts';
import type { Tone } from '#platform/admin/index.ts';

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
