import { invalidField } from '#kernel/service/errors.ts';
import type { Promotion } from './record.ts';

type Rule = (one: Promotion) => readonly [field: string, message: string] | false;

const isItem = (one: Promotion): boolean => one.class === 'item';
const isBogo = (one: Promotion): boolean => one.effect === 'bogo';
const FOR_ITEMS = 'is only for promotions on single items (class item); leave it empty';
const FOR_BOGO = 'is only for the effect “Buy X, get Y” (bogo); leave it empty';

/** What holds for every promotion, in the order in which it is told. */
const rules: readonly Rule[] = [
  (one) =>
    (one.type === 'bogo') !== isBogo(one) && [
      'type',
      isBogo(one)
        ? 'must be bogo for the effect bogo; it may have a code'
        : 'is bogo: the effect must be bogo',
    ],
  (one) => one.type === 'automatic' && one.code !== null && ['code', 'is for coupons; set type to coupon'],
  (one) => isBogo(one) && !isItem(one) && ['class', 'must be item for the effect bogo; leave it out'],
  (one) =>
    one.effect === 'free_shipping' &&
    one.class !== 'shipping' && ['class', 'must be shipping for the effect free_shipping; leave it out'],
  (one) =>
    one.effect === 'fixed_price' && !isItem(one) && ['class', 'must be item for the effect fixed_price'],
  (one) =>
    one.effect === 'percent' &&
    (one.value < 1 || one.value > 10_000) && ['value', 'must be 1 to 10000 basis points'],
  (one) =>
    one.scope === 'once' &&
    !(isItem(one) && one.effect === 'fixed_amount') && [
      'scope',
      'can be once only for a fixed amount of class item',
    ],
  (one) => one.appliesTo !== 'all' && (!isItem(one) || isBogo(one)) && ['applies_to', forUnits(one)],
  (one) => one.excludes !== null && !isItem(one) && ['excludes', FOR_ITEMS],
  (one) => one.excludeSale && !isItem(one) && ['exclude_sale', FOR_ITEMS],
  (one) => one.maxUnits !== null && (!isItem(one) || isBogo(one)) && ['max_units', forUnits(one)],
  (one) => isBogo(one) && one.buyQuantity === null && ['buy_quantity', 'is required'],
  (one) => isBogo(one) && one.buy === null && ['buy', 'is required; "all" is everything'],
  (one) => isBogo(one) && one.getQuantity === null && ['get_quantity', 'is required'],
  (one) => !isBogo(one) && one.buyQuantity !== null && ['buy_quantity', FOR_BOGO],
  (one) => !isBogo(one) && one.buy !== null && ['buy', FOR_BOGO],
  (one) => !isBogo(one) && one.getQuantity !== null && ['get_quantity', FOR_BOGO],
  (one) => !isBogo(one) && one.get !== null && ['get', FOR_BOGO],
  (one) => !isBogo(one) && one.maxSets !== null && ['max_sets', FOR_BOGO],
  (one) =>
    one.getEffect === 'percent' &&
    (one.getValue < 1 || one.getValue > 10_000) && ['get_value', 'must be 1 to 10000 basis points'],
  (one) =>
    one.class !== 'shipping' &&
    one.shippingRule.countries.length + one.shippingRule.methodIds.length > 0 && [
      'shipping_rule',
      'is for promotions of class shipping; leave it empty',
    ],
  (one) =>
    one.customerRule.kind === 'email_domains' &&
    one.customerRule.values.length === 0 && ['customer_rule.values', 'needs at least one domain'],
  (one) =>
    one.customerRule.kind === 'groups' &&
    one.customerRule.values.length === 0 && ['customer_rule.values', 'needs at least one group'],
  (one) =>
    !['email_domains', 'groups'].includes(one.customerRule.kind) &&
    one.customerRule.values.length > 0 && ['customer_rule.values', 'must be empty for this kind'],
  ({ scheduleRule }) =>
    scheduleRule !== null &&
    scheduleRule.from >= scheduleRule.to && ['schedule_rule.to', 'must be later than from; 24:00 ends a day'],
  ({ startsAt, endsAt }) =>
    startsAt !== null && endsAt !== null && endsAt <= startsAt && ['ends_at', 'must be later than starts_at'],
  ({ usageLimit, usedCount }) =>
    usageLimit !== null &&
    usageLimit < usedCount && ['usage_limit', `must be at least ${usedCount}, as often as it was used`],
];

const forUnits = (one: Promotion): string =>
  isBogo(one) ? 'cannot be used with the effect bogo; use buy and get' : FOR_ITEMS;

/** The same promotion. @throws AppError VALIDATION_ERROR for the first rule that it breaks */
export function ruled(promotion: Promotion): Promotion {
  for (const rule of rules) {
    const fault = rule(promotion);
    if (fault) throw invalidField(...fault);
  }
  return promotion;
}

/** What a promotion is worth: fixed once an order has taken it (storefront-promotions 10). */
export const VALUE_FIELDS = [
  'type',
  'class',
  'effect',
  'value',
  'scope',
  'appliesTo',
  'excludes',
  'excludeSale',
  'maxUnits',
  'maxDiscountCents',
  'buy',
  'get',
  'buyQuantity',
  'getQuantity',
  'getEffect',
  'getValue',
  'getSelection',
  'maxSets',
] as const satisfies readonly (keyof Promotion)[];
