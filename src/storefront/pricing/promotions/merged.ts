import { fail, invalidField } from '#kernel/service/errors.ts';
import type { CustomerRule, Promotion, ShippingRule, StoredTargets } from './record.ts';
import type { PromotionUpdateInput } from './schemas.ts';

/** Targets as they are stored, by the field that was sent. */
export type Resolved = Partial<Record<'appliesTo' | 'excludes' | 'buy' | 'get', StoredTargets | null>>;

/** Fields whose value goes into the promotion as it was sent. */
const PLAIN = [
  'name',
  'code',
  'excludeSale',
  'scope',
  'maxUnits',
  'maxDiscountCents',
  'buyQuantity',
  'getQuantity',
  'getSelection',
  'maxSets',
  'minSubtotalCents',
  'minQuantity',
  'startsAt',
  'endsAt',
  'scheduleRule',
  'usageLimit',
  'usageLimitPerCustomer',
  'priority',
  'stackable',
  'combinesWith',
  'exclusionGroup',
] as const satisfies readonly (keyof Promotion & keyof PromotionUpdateInput)[];

/**
 * A promotion with what was sent: absent leaves, null clears, and what nobody said follows from the rest.
 *
 * @param isNew nothing of `before` was said by anybody
 * @throws AppError VALIDATION_ERROR for a value in another unit than that of the effect
 */
export function merged(
  before: Promotion,
  sent: PromotionUpdateInput,
  targets: Resolved,
  isNew = false,
): Promotion {
  const plain = Object.fromEntries(
    PLAIN.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])),
  ) as Partial<Promotion>;
  const effect = sent.effect ?? before.effect;
  const getEffect = sent.getEffect ?? before.getEffect;
  const kept = { ...before, ...plain, ...resolvedIn(targets), effect, getEffect };
  return {
    ...kept,
    class: classOf(before, kept, sent, isNew),
    type: typeOf(before, kept, sent, isNew),
    value: worthOf(before, effect, sent, isNew),
    getValue: getWorthOf(before, getEffect, sent),
    customerRule: sent.customerRule === undefined ? before.customerRule : customersIn(sent.customerRule),
    shippingRule: sent.shippingRule === undefined ? before.shippingRule : shippingIn(sent.shippingRule),
  };
}

const resolvedIn = ({ appliesTo, ...others }: Resolved): Partial<Promotion> => ({
  ...others,
  ...(appliesTo !== undefined && { appliesTo: appliesTo ?? 'all' }),
});

const customersIn = (rule: PromotionUpdateInput['customerRule']): CustomerRule => ({
  kind: rule?.kind ?? 'all',
  // Of groups their ids.
  values: (rule?.values ?? []).map((one) =>
    rule?.kind === 'groups' ? one : one.toLowerCase().replace(/^@/, ''),
  ),
});

const shippingIn = (rule: PromotionUpdateInput['shippingRule']): ShippingRule => ({
  countries: [...new Set(rule?.countries ?? [])],
  methodIds: [...new Set(rule?.methodIds ?? [])],
});

/** Follows from some effects; otherwise what was said, and what names units lowers those. */
function classOf(
  before: Promotion,
  { effect, appliesTo, excludes }: Promotion,
  sent: PromotionUpdateInput,
  isNew: boolean,
): Promotion['class'] {
  if (sent.class !== undefined) return sent.class;
  if (effect === 'bogo' || effect === 'fixed_price') return 'item';
  if (effect === 'free_shipping') return 'shipping';
  const follows = before.effect === 'bogo' || before.effect === 'free_shipping';
  if (!isNew && !follows) return before.class;
  return appliesTo !== 'all' || excludes !== null ? 'item' : 'order';
}

function typeOf(
  before: Promotion,
  { effect, code }: Promotion,
  sent: PromotionUpdateInput,
  isNew: boolean,
): Promotion['type'] {
  if (sent.type !== undefined) return sent.type;
  if (effect === 'bogo') return 'bogo';
  if (!isNew && before.type !== 'bogo') return before.type;
  return code === null ? 'automatic' : 'coupon';
}

const required = (path: string) =>
  fail('VALIDATION_ERROR', `${path}: is required`, {
    details: { issues: [{ path, rule: 'required', message: 'is required' }] },
  });

/** The value of an effect in its own unit. @throws AppError VALIDATION_ERROR */
function worthOf(
  before: Promotion,
  effect: Promotion['effect'],
  { value, percentBps, amountCents }: PromotionUpdateInput,
  isNew: boolean,
): number {
  const hasPercent = typeof percentBps === 'number';
  const hasAmount = typeof amountCents === 'number';
  if (effect === 'bogo' || effect === 'free_shipping') {
    if (hasPercent || hasAmount || (value ?? 0) !== 0)
      throw invalidField(
        hasPercent ? 'percent_bps' : hasAmount ? 'amount_cents' : 'value',
        `cannot be used with the effect ${effect}; leave it empty`,
      );
    return 0;
  }
  const isPercent = effect === 'percent';
  if (isPercent && hasAmount)
    throw invalidField('amount_cents', 'is for amounts and prices; the effect percent needs a percentage');
  if (!isPercent && hasPercent)
    throw invalidField('percent_bps', `is for the effect percent; ${effect} needs an amount`);
  const given = (isPercent ? percentBps : amountCents) ?? value;
  if (given !== undefined && given !== null) return given;
  const isSameUnit = !isNew && (before.effect === 'percent') === isPercent && !isWithout(before);
  if (!isSameUnit) throw required(isPercent ? 'percent_bps' : 'amount_cents');
  return before.value;
}

const isWithout = ({ effect }: Promotion): boolean => effect === 'bogo' || effect === 'free_shipping';

function getWorthOf(
  before: Promotion,
  getEffect: Promotion['getEffect'],
  { getValue, getPercentBps, getAmountCents }: PromotionUpdateInput,
): number {
  const isPercent = getEffect === 'percent';
  if (isPercent && typeof getAmountCents === 'number')
    throw invalidField('get_amount_cents', 'is for amounts and prices; choose what a given unit costs first');
  if (!isPercent && typeof getPercentBps === 'number')
    throw invalidField('get_percent_bps', `is for the effect percent; ${getEffect} needs an amount`);
  const given = (isPercent ? getPercentBps : getAmountCents) ?? getValue;
  if (given !== undefined && given !== null) return given;
  if ((before.getEffect === 'percent') === isPercent) return before.getValue;
  if (isPercent) return 10_000;
  throw required('get_amount_cents');
}
