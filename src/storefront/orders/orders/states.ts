import { fail } from '#kernel/service/errors.ts';
import type { Order, OrderStatus } from './record.ts';

/** What moves an order, and from where (storefront-domain 6.1). */
export const TRIGGERS = {
  /** Money was accepted, or nothing is due. */
  accept: { from: ['pending'], to: 'processing' },
  /** Placed, and paid later: by the offline processor. */
  place_unpaid: { from: ['pending'], to: 'pending' },
  /** Money that was awaited is there. */
  pay: { from: ['pending'], to: 'processing' },
  place_draft: { from: ['draft'], to: 'pending' },
  hold: { from: ['processing'], to: 'on_hold' },
  release: { from: ['on_hold'], to: 'processing' },
  /** As `release`, while it is not paid. */
  release_unpaid: { from: ['on_hold'], to: 'pending' },
  ship: { from: ['processing'], to: 'shipped' },
  /** A shipment came back or was cancelled. */
  unship: { from: ['shipped'], to: 'processing' },
  complete: { from: ['processing', 'shipped'], to: 'completed' },
  // A draft holds nothing: cancelling it is how staff give it up.
  cancel: { from: ['draft', 'pending', 'processing', 'on_hold'], to: 'cancelled' },
  /** It was not paid in its time; nobody but the program is told while it was not placed. */
  expire: { from: ['pending'], to: 'cancelled' },
} as const satisfies Record<string, { from: readonly OrderStatus[]; to: OrderStatus }>;

export type Trigger = keyof typeof TRIGGERS;

/** What may be done with an order in a state. */
export const allowedIn = (status: OrderStatus): Trigger[] =>
  (Object.keys(TRIGGERS) as Trigger[]).filter((name) =>
    (TRIGGERS[name].from as readonly OrderStatus[]).includes(status),
  );

/** @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION, with what is allowed */
export function requireAllowed({ status, orderNumber, id }: Order, trigger: Trigger): void {
  const allowed = allowedIn(status);
  if (allowed.includes(trigger)) return;
  const name = orderNumber ?? id;
  throw fail('VALIDATION_ERROR', `order ${name} is ${status.replace('_', ' ')}: ${words[trigger]}`, {
    details: { reason: 'INVALID_TRANSITION', from: status, trigger, allowed },
  });
}

const words: Readonly<Record<Trigger, string>> = {
  accept: 'it can no longer be paid',
  place_unpaid: 'it can no longer be placed',
  pay: 'it can no longer be paid',
  place_draft: 'only a draft can be placed',
  hold: 'only an order that is processing can be put on hold',
  release: 'only an order on hold can be released',
  release_unpaid: 'only an order on hold can be released',
  ship: 'only an order that is processing can be shipped',
  unship: 'only a shipped order can go back to processing',
  complete: 'only an order that is processing or shipped can be completed',
  cancel: 'it can no longer be canceled; refund it, or start a return',
  expire: 'only a pending order can expire',
};
