import type { Bar, Promotion as Priced, Targets } from '../engine/index.ts';
import { dayAndTime } from './local-time.ts';
import type { Promotion, PromotionCode, StoredTargets } from './record.ts';

/** Who buys, as far as it is known. */
export interface Shopper {
  readonly customerId: string | null;
  /** In lower case. */
  readonly emailNorm: string | null;
  /** No order was placed with this account or address. */
  readonly isFirstOrder: boolean;
  /** Groups of the account; none of a guest. */
  readonly groupIds: readonly string[];
}

/** When and where somebody buys. */
export interface Moment {
  /** ISO time. */
  readonly now: string;
  /** IANA name of the shop's time zone. */
  readonly zone: string;
  /** Where the order goes; null while nobody knows. */
  readonly country: string | null;
  readonly shippingMethodId: string | null;
}

/** An entered code that opens a promotion. */
export interface EnteredCode {
  readonly codeNorm: string;
  /** null: the promotion's own code. */
  readonly row: PromotionCode | null;
}

/** What is known of a promotion beside its row. */
export interface Standing {
  /** Entered codes that open it; null where it needs none. */
  readonly entered: readonly EnteredCode[] | null;
  /** How often this customer took it. */
  readonly usesOfCustomer: number;
}

/**
 * Why a promotion is out whatever is in the cart; null when it is in. The first reason wins: window, uses, uses of the
 * customer, customer (storefront-promotions 10).
 */
export function barOf(
  promotion: Promotion,
  shopper: Shopper,
  moment: Moment,
  { entered, usesOfCustomer }: Standing,
): Bar | null {
  const { usageLimit, usedCount, usageLimitPerCustomer } = promotion;
  const window = windowBar(promotion, moment);
  if (window) return window;
  const codeBars = (entered ?? []).map((one) => codeBar(one, moment.now));
  // One usable code is enough.
  if (codeBars.length > 0 && !codeBars.includes(null)) return codeBars[0] ?? null;
  if (usageLimit !== null && usedCount >= usageLimit) return 'exhausted';
  if (usageLimitPerCustomer !== null && usesOfCustomer >= usageLimitPerCustomer) return 'per_customer_limit';
  return isFor(promotion, shopper) && reaches(promotion, moment) ? null : 'customer';
}

/** Half-open: from the start on and before the end; what is paused or archived is over. */
function windowBar({ status, startsAt, endsAt, scheduleRule }: Promotion, { now, zone }: Moment): Bar | null {
  if (status === 'draft') return 'not_started';
  if (status !== 'active' || (endsAt !== null && endsAt <= now)) return 'expired';
  if (startsAt !== null && startsAt > now) return 'not_started';
  if (scheduleRule === null) return null;
  const { day, time } = dayAndTime(now, zone);
  const { days, from, to } = scheduleRule;
  return days.includes(day) && from <= time && time < to ? null : 'not_started';
}

function codeBar({ row }: EnteredCode, now: string): Bar | null {
  if (row === null) return null;
  if (row.disabledAt !== null || (row.expiresAt !== null && row.expiresAt <= now)) return 'expired';
  return row.usageLimit !== null && row.usedCount >= row.usageLimit ? 'exhausted' : null;
}

function isFor({ customerRule: { kind, values } }: Promotion, shopper: Shopper): boolean {
  if (kind === 'all') return true;
  if (kind === 'logged_in') return shopper.customerId !== null;
  if (kind === 'first_order') return shopper.isFirstOrder;
  if (kind === 'groups') return values.some((id) => shopper.groupIds.includes(id));
  const domain = shopper.emailNorm?.split('@').at(-1);
  return domain !== undefined && values.includes(domain);
}

function reaches(
  { class: lowers, shippingRule: { countries, methodIds } }: Promotion,
  { country, shippingMethodId }: Moment,
): boolean {
  const isAmong = (one: string | null, some: readonly string[]): boolean =>
    some.length === 0 || (one !== null && some.includes(one));
  return lowers !== 'shipping' || (isAmong(country, countries) && isAmong(shippingMethodId, methodIds));
}

const targetsOf = (targets: StoredTargets): Targets => targets as Targets;

/** A promotion as the price engine takes it. */
export function pricedOf(promotion: Promotion, shopper: Shopper, moment: Moment, standing: Standing): Priced {
  const { entered } = standing;
  const usable = entered?.filter((one) => codeBar(one, moment.now) === null);
  const codes = usable && usable.length > 0 ? usable : entered;
  const any = {
    id: promotion.id,
    createdAt: promotion.createdAt,
    name: promotion.name,
    codes: codes?.map(({ codeNorm }) => codeNorm) ?? null,
    bar: barOf(promotion, shopper, moment, standing),
    priority: promotion.priority,
    maxDiscountCents: promotion.maxDiscountCents,
    minSubtotalCents: promotion.minSubtotalCents,
    minQuantity: promotion.minQuantity,
    isStackable: promotion.stackable,
    combinesWith: promotion.combinesWith,
    exclusionGroup: promotion.exclusionGroup,
  };
  return { ...any, ...worthOf(promotion) } as unknown as Priced;
}

/** What it lowers, by its class. */
function worthOf(promotion: Promotion): object {
  const { effect, value, excludes, excludeSale } = promotion;
  if (promotion.class !== 'item') return { class: promotion.class, effect, value };
  const some = {
    class: 'item',
    effect,
    excludes: excludes && targetsOf(excludes),
    excludesSale: excludeSale,
  };
  if (effect !== 'bogo') {
    const { scope, maxUnits, appliesTo } = promotion;
    return { ...some, value, scope, appliesTo: targetsOf(appliesTo), maxUnits };
  }
  const buy = targetsOf(promotion.buy ?? 'all');
  return {
    ...some,
    buy,
    get: promotion.get === null ? buy : targetsOf(promotion.get),
    buyQuantity: promotion.buyQuantity ?? 1,
    getQuantity: promotion.getQuantity ?? 1,
    getEffect: promotion.getEffect,
    getValue: promotion.getValue,
    getSelection: promotion.getSelection,
    maxSets: promotion.maxSets,
  };
}
