import { RISK_LEVELS, type Risk, type RiskReason } from '../orders/index.ts';

/** What is known when an order is judged. */
export interface RiskFacts {
  readonly cardCountry: string | null;
  readonly billingCountry: string | null;
  /** Cards with which the email address tried to pay in the last day. */
  readonly cards: number;
  /** Email addresses with which the card was used in the last day. */
  readonly emails: number;
  /** Several payments of the email address or of the network address were declined in the open window. */
  readonly isOftenDeclined: boolean;
  readonly isCardTriedOften: boolean;
  readonly isLargeFirstOrder: boolean;
}

/** From so many on it is no mistake of an honest buyer. */
export const MANY = 3;
const MOST = 100;

/** Each reason, what it weighs, and when it holds. One alone is seldom enough for a review; two usually are. */
const RULES: readonly [reason: RiskReason, weight: number, holds: (facts: RiskFacts) => boolean][] = [
  [
    'country_mismatch',
    25,
    ({ cardCountry, billingCountry }) =>
      cardCountry !== null && billingCountry !== null && cardCountry !== billingCountry,
  ],
  ['many_cards', 35, ({ cards }) => cards >= MANY],
  ['many_declines', 30, ({ isOftenDeclined }) => isOftenDeclined],
  ['card_tried_often', 60, ({ isCardTriedOften }) => isCardTriedOften],
  ['shared_card', 40, ({ emails }) => emails >= MANY],
  ['large_first_order', 35, ({ isLargeFirstOrder }) => isLargeFirstOrder],
];

const MEDIUM = 30;
const HIGH = 60;

/** Judges an order by what is known of its payment (decision 0075). */
export function riskOf(facts: RiskFacts): Risk {
  const found = RULES.filter(([, , holds]) => holds(facts));
  const score = Math.min(
    MOST,
    found.reduce((sum, [, weight]) => sum + weight, 0),
  );
  const level = score >= HIGH ? RISK_LEVELS[2] : score >= MEDIUM ? RISK_LEVELS[1] : RISK_LEVELS[0];
  return { score, level, reasons: found.map(([reason]) => reason), cardCountry: facts.cardCountry };
}
