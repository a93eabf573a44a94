import { fail } from '#kernel/service/errors.ts';
import type { Return, ReturnState } from './record.ts';

/** What moves a return, and from where (storefront-domain 6.5). */
export const TRIGGERS = {
  approve: { from: ['requested'], to: 'approved' },
  reject: { from: ['requested'], to: 'rejected' },
  cancel: { from: ['requested', 'approved'], to: 'cancelled' },
  /** The customer has sent it. */
  track: { from: ['approved'], to: 'in_transit' },
  expire: { from: ['approved', 'in_transit'], to: 'expired' },
  receive: { from: ['approved', 'in_transit'], to: 'received' },
  refund: { from: ['received'], to: 'completed' },
  exchange: { from: ['received'], to: 'completed' },
  /** Without money going back. */
  close: { from: ['received'], to: 'completed' },
  /** Its refund was refused, or the order that replaces its goods has ended. */
  reopen: { from: ['completed'], to: 'received' },
} as const satisfies Record<string, { from: readonly ReturnState[]; to: ReturnState }>;

export type Trigger = keyof typeof TRIGGERS;

/** What the program does by itself is nothing that somebody could ask for. */
const OWN: readonly Trigger[] = ['expire', 'reopen'];

const startsIn = (trigger: Trigger, status: ReturnState): boolean =>
  (TRIGGERS[trigger].from as readonly ReturnState[]).includes(status);

/** What may be done with a return in a state. */
export const allowedIn = (status: ReturnState): Trigger[] =>
  (Object.keys(TRIGGERS) as Trigger[]).filter((name) => startsIn(name, status) && !OWN.includes(name));

const words: Readonly<Record<Trigger, string>> = {
  approve: 'only a requested return can be approved',
  reject: 'only a requested return can be rejected',
  cancel: 'it can no longer be canceled',
  track: 'tracking can be added once, after approval',
  expire: 'only an approved return can expire',
  receive: 'only an approved return or one in transit can be received',
  refund: 'only a received return can be refunded',
  exchange: 'only a received return can be exchanged',
  close: 'only a received return can be closed',
  reopen: 'only a completed return can be reopened',
};

/** @throws AppError VALIDATION_ERROR, reason INVALID_TRANSITION, with what is allowed */
export function requireAllowed({ status, returnNumber }: Return, trigger: Trigger): void {
  if (startsIn(trigger, status)) return;
  throw fail('VALIDATION_ERROR', `return ${returnNumber} is ${status.replace('_', ' ')}: ${words[trigger]}`, {
    details: { reason: 'INVALID_TRANSITION', from: status, trigger, allowed: allowedIn(status) },
  });
}
