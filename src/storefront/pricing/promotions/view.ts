import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { type RedemptionOf, type Tally, talliesOf } from './queries.ts';
import {
  CLASSES,
  CUSTOMER_KINDS,
  EFFECTS,
  GET_EFFECTS,
  type Promotion,
  type PromotionCode,
  REDEMPTION_STATUSES,
  SCOPES,
  SELECTIONS,
  STATUSES,
  TYPES,
} from './record.ts';
import { idsIn, namesIn, type TargetName } from './targets.ts';

const ids = () => z.array(z.string()).optional();
const lists = () =>
  z.object({ products: ids(), variants: ids(), categories: ids(), collections: ids(), tags: ids() });
const targets = () => z.union([z.literal('all'), lists()]);
const targetsOrNull = () => z.union([z.literal('all'), lists().nullable()]);

/** What its status comes to at the moment; the stored ones are draft, active, paused and archived. */
export const DISPLAY_STATUSES = [...STATUSES, 'scheduled', 'expired', 'exhausted'] as const;

/** What has to be bought, and what is given for it. */
const bought = () => ({
  buy: targetsOrNull(),
  get: targetsOrNull(),
  buy_quantity: count().nullable(),
  get_quantity: count().nullable(),
  get_effect: z.enum(GET_EFFECTS),
  get_value: count(),
  get_percent_bps: count().nullable(),
  get_amount_cents: count().nullable(),
  get_selection: z.enum(SELECTIONS),
  max_sets: count().nullable(),
});

/** A promotion as staff see it. */
export const PromotionView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      type: z.enum(TYPES),
      class: z.enum(CLASSES),
      effect: z.enum(EFFECTS),
      value: count(),
      percent_bps: count().nullable(),
      amount_cents: count().nullable(),
      scope: z.enum(SCOPES),
      applies_to: targets(),
      excludes: targetsOrNull(),
      exclude_sale: z.boolean(),
      max_units: count().nullable(),
      max_discount_cents: count().nullable(),
      ...bought(),
      min_subtotal_cents: count().nullable(),
      min_quantity: count().nullable(),
      customer_rule: z.object({ kind: z.enum(CUSTOMER_KINDS), values: z.array(z.string()) }),
      shipping_rule: z.object({ countries: z.array(z.string()), method_ids: z.array(z.string()) }),
      schedule_rule: z.object({ days: z.array(z.int()), from: z.string(), to: z.string() }).nullable(),
      code: z.string().nullable(),
      priority: count(),
      stackable: z.boolean(),
      combines_with: z.array(z.enum(CLASSES)),
      exclusion_group: z.string().nullable(),
      usage_limit: count().nullable(),
      usage_limit_per_customer: count().nullable(),
      used_count: count(),
      saved_cents: count(),
      /** Generated ones. */
      code_count: count(),
      currency: z.string(),
      status: z.enum(STATUSES),
      display_status: z.enum(DISPLAY_STATUSES),
      starts_at: instant().nullable(),
      ends_at: instant().nullable(),
      locked_at: instant().nullable(),
      /** What the ids that it names are called. */
      named: z.array(z.object({ id: z.string(), kind: z.string(), name: z.string(), title: z.string() })),
      version: count(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'Promotion' }),
);
export type PromotionShown = z.output<typeof PromotionView>;

/** What a promotion's status comes to at a time. @param now ISO time */
export function displayStatus(
  { status, startsAt, endsAt, usageLimit, usedCount }: Promotion,
  now: string,
): (typeof DISPLAY_STATUSES)[number] {
  if (status !== 'active') return status;
  if (endsAt !== null && endsAt <= now) return 'expired';
  if (usageLimit !== null && usedCount >= usageLimit) return 'exhausted';
  return startsAt !== null && startsAt > now ? 'scheduled' : 'active';
}

/** Promotions as staff see them: six questions for all of them. */
export async function promotionViews(
  promotions: readonly Promotion[],
  ctx: Ctx,
): Promise<z.output<typeof PromotionView>[]> {
  const names = await namesIn(ctx, promotions);
  const tallies = await talliesOf(
    ctx,
    promotions.map(({ id }) => id),
  );
  const currency = ctx.settings.get(currencyCode);
  return promotions.map((one) => ({
    ...plain(one),
    ...tallied(tallies.get(one.id)),
    currency,
    display_status: displayStatus(one, ctx.now()),
    named: namedIn(one, names),
  }));
}

const tallied = (tally: Tally | undefined) => ({
  saved_cents: tally?.savedCents ?? 0,
  code_count: tally?.codeCount ?? 0,
});

const namedIn = (promotion: Promotion, names: ReadonlyMap<string, TargetName>) =>
  [...new Set(idsIn(promotion))].flatMap((id) => names.get(id) ?? []);

const valuesOf = ({ effect, value, getEffect, getValue }: Promotion) => {
  const isAmount = effect === 'fixed_amount' || effect === 'fixed_price';
  return {
    value,
    percent_bps: effect === 'percent' ? value : null,
    amount_cents: isAmount ? value : null,
    get_effect: getEffect,
    get_value: getValue,
    get_percent_bps: getEffect === 'percent' ? getValue : null,
    get_amount_cents: getEffect === 'percent' ? null : getValue,
  };
};

const plain = (one: Promotion) => ({
  id: one.id,
  name: one.name,
  type: one.type,
  class: one.class,
  effect: one.effect,
  ...valuesOf(one),
  scope: one.scope,
  applies_to: one.appliesTo,
  excludes: one.excludes,
  exclude_sale: one.excludeSale,
  max_units: one.maxUnits,
  max_discount_cents: one.maxDiscountCents,
  buy: one.buy,
  get: one.get,
  buy_quantity: one.buyQuantity,
  get_quantity: one.getQuantity,
  get_selection: one.getSelection,
  max_sets: one.maxSets,
  min_subtotal_cents: one.minSubtotalCents,
  min_quantity: one.minQuantity,
  customer_rule: one.customerRule,
  shipping_rule: { countries: one.shippingRule.countries, method_ids: one.shippingRule.methodIds },
  schedule_rule: one.scheduleRule,
  code: one.code,
  priority: one.priority,
  stackable: one.stackable,
  combines_with: one.combinesWith,
  exclusion_group: one.exclusionGroup,
  usage_limit: one.usageLimit,
  usage_limit_per_customer: one.usageLimitPerCustomer,
  used_count: one.usedCount,
  status: one.status,
  starts_at: one.startsAt,
  ends_at: one.endsAt,
  locked_at: one.lockedAt,
  version: one.version,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});

/** One of many codes as staff see it. */
export const PromotionCodeView = later(() =>
  z
    .object({
      id: z.string(),
      promotion_id: z.string(),
      code: z.string(),
      usage_limit: count().nullable(),
      used_count: count(),
      disabled_at: instant().nullable(),
      expires_at: instant().nullable(),
      created_at: instant(),
    })
    .meta({ id: 'PromotionCode' }),
);

export const promotionCodeView = (one: PromotionCode): z.output<typeof PromotionCodeView> => ({
  id: one.id,
  promotion_id: one.promotionId,
  code: one.code,
  usage_limit: one.usageLimit,
  used_count: one.usedCount,
  disabled_at: one.disabledAt,
  expires_at: one.expiresAt,
  created_at: one.createdAt,
});

/** A use as staff see it. */
export const RedemptionView = later(() =>
  z
    .object({
      id: z.string(),
      promotion_id: z.string(),
      order_id: z.string(),
      customer_id: z.string().nullable(),
      email: z.string(),
      code: z.string().nullable(),
      amount_cents: count(),
      currency: z.string(),
      status: z.enum(REDEMPTION_STATUSES),
      at: instant(),
    })
    .meta({ id: 'PromotionRedemption' }),
);

export const redemptionView = (one: RedemptionOf, ctx: Ctx): z.output<typeof RedemptionView> => ({
  id: one.id,
  promotion_id: one.promotionId,
  order_id: one.orderId,
  customer_id: one.customerId,
  email: one.emailNorm,
  code: one.code,
  amount_cents: one.amountCents,
  currency: ctx.settings.get(currencyCode),
  status: one.status,
  at: one.createdAt,
});
