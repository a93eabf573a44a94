export { balanceOf, type ShownBalance } from './balance.ts';
export { normOf, shownCode } from './code.ts';
export { deliverDue, resend } from './delivery.ts';
export { findByCode, get } from './gift-cards.ts';
export { giveBack, hold, type Part, refundTo, reverse, spend } from './holds.ts';
export { type Issue, type Issued, issue, reinstate, withdraw } from './issue.ts';
export { giftCardSums, heldOf, listOfItems, listWithdrawnFor, type WrongSums } from './queries.ts';
export type { GiftCard, GiftCardEntry } from './record.ts';
export { freeCents, isUnused, isWithdrawn, usable } from './rules.ts';
