/** How the panel says what promotions do. */
import { moneyWords } from '#kernel/money-words.ts';
import type { Refusal } from '../engine/index.ts';

const percent = (bps: number): string => `${bps / 100} %`;

type Targets = 'all' | Readonly<Record<string, readonly string[] | undefined>>;

/** What words are made of: a promotion as the panel has it. */
export interface Worded {
  readonly class: string;
  readonly effect: string;
  readonly value: number;
  readonly scope: string;
  readonly appliesTo: Targets;
  readonly buyQuantity: number | null;
  readonly getQuantity: number | null;
  readonly getEffect: string;
  readonly getValue: number;
  readonly currency: string;
}

/** `10 % off the order`. */
export function effectWords(one: Worded): string {
  const money = (amountCents: number) => moneyWords({ amountCents, currency: one.currency }, 'en');
  const what = { order: 'the order', shipping: 'shipping', item: goods(one) }[one.class] ?? '';
  switch (one.effect) {
    case 'free_shipping':
      return 'Free shipping';
    case 'bogo':
      return `Buy ${one.buyQuantity}, get ${one.getQuantity} ${givenWords(one, money)}`;
    case 'fixed_price':
      return `${money(one.value)} for each of ${what}`;
    case 'percent':
      return `${percent(one.value)} off ${what}`;
    default:
      return one.class === 'item' && one.scope === 'per_unit'
        ? `${money(one.value)} off each of ${what}`
        : `${money(one.value)} off ${what}`;
  }
}

const goods = ({ appliesTo }: Worded): string => (appliesTo === 'all' ? 'all products' : 'some products');

function givenWords({ getEffect, getValue }: Worded, money: (cents: number) => string): string {
  if (getEffect === 'percent') return getValue === 10_000 ? 'free' : `${percent(getValue)} off`;
  return getEffect === 'fixed_price' ? `for ${money(getValue)}` : `${money(getValue)} off`;
}

/** Why a promotion lowers nothing, in a sentence. */
export function refusalWords(refusal: Refusal, currency: string): string {
  switch (refusal.reason) {
    case 'min_subtotal':
      return `The cart is ${moneyWords({ amountCents: refusal.missingCents, currency }, 'en')} below its minimum.`;
    case 'min_quantity':
      return `The cart needs ${refusal.missingQuantity} more ${refusal.missingQuantity === 1 ? 'unit' : 'units'}.`;
    default:
      return sentences[refusal.reason];
  }
}

const sentences: Readonly<Record<Exclude<Refusal['reason'], 'min_subtotal' | 'min_quantity'>, string>> = {
  not_started: 'It has not started, or is outside its hours.',
  expired: 'It has ended, is paused, or its code has expired.',
  exhausted: 'It has reached its usage limit.',
  per_customer_limit: 'This customer has reached the limit per customer.',
  customer: 'It is not for this customer or country.',
  not_eligible_items: 'It does not apply to anything in the cart.',
  not_best: 'Another promotion saves more.',
  not_combinable: 'It does not combine with the promotions that apply.',
};

export const moneyOr = (amountCents: number | null, currency: string): string | null =>
  amountCents === null ? null : moneyWords({ amountCents, currency }, 'en');

/** `3 of 10`. */
export const usesOf = ({
  usedCount,
  usageLimit,
}: {
  readonly usedCount: number;
  readonly usageLimit: number | null;
}) => (usageLimit === null ? String(usedCount) : `${usedCount} of ${usageLimit}`);
