import type { RiskReason } from '../orders/index.ts';

const words: Readonly<Record<RiskReason, string>> = {
  country_mismatch: "The card's country differs from the billing address",
  many_cards: 'The email address tried three or more cards within a day',
  many_declines: 'Three or more payments of the email or network address were declined',
  card_tried_often: 'The card was tried more often than payment_tries_card allows',
  shared_card: 'The card was used with three or more email addresses within a day',
  large_first_order: "It is the customer's first order, and a large one",
};

/** Why an order is a risk, for staff. */
export const reasonWords = (reason: RiskReason): string => words[reason];
