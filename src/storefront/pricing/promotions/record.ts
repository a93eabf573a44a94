import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { later } from '#kernel/sharing.ts';
import { normed } from '#storefront/catalog/products/index.ts';
import { ids } from '#storefront/contract/ids.ts';

export const TYPES = ['coupon', 'automatic', 'bogo'] as const;
export const CLASSES = ['item', 'order', 'shipping'] as const;
export const EFFECTS = ['percent', 'fixed_amount', 'fixed_price', 'free_shipping', 'bogo'] as const;
export const GET_EFFECTS = ['percent', 'fixed_amount', 'fixed_price'] as const;
export const SCOPES = ['per_unit', 'once'] as const;
export const SELECTIONS = ['grouped', 'cheapest'] as const;
export const STATUSES = ['draft', 'active', 'paused', 'archived'] as const;
/** Companies are a kind as well, once the shop has them. */
export const CUSTOMER_KINDS = ['all', 'logged_in', 'groups', 'first_order', 'email_domains'] as const;
export const REDEMPTION_STATUSES = ['held', 'used', 'released'] as const;
export const TARGET_KINDS = ['products', 'variants', 'categories', 'collections', 'tags'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export const MOST_UNITS = 1_000_000;
export const MOST_USES = 1_000_000_000;
export const MOST_PRIORITY = 1_000_000;
/** Of one kind. */
export const MOST_TARGETS = 500;
export const MOST_CODE = 40;
/** Basis points of the whole. */
export const WHOLE_BPS = 10_000;

const texts = (max: number, most: number) => z.array(z.string().min(1).max(max)).max(most);

const storedTargets = z.union([
  z.literal('all'),
  z.strictObject({
    products: texts(30, MOST_TARGETS).optional(),
    variants: texts(30, MOST_TARGETS).optional(),
    categories: texts(30, MOST_TARGETS).optional(),
    collections: texts(30, MOST_TARGETS).optional(),
    tags: texts(50, MOST_TARGETS).optional(),
  }),
]);
export type StoredTargets = z.output<typeof storedTargets>;

const customerRule = later(() => z.strictObject({ kind: z.enum(CUSTOMER_KINDS), values: texts(255, 100) }));
export type CustomerRule = z.output<typeof customerRule>;

const shippingRule = later(() => z.strictObject({ countries: texts(2, 300), methodIds: texts(30, 100) }));
export type ShippingRule = z.output<typeof shippingRule>;

const scheduleRule = later(() =>
  z.strictObject({
    days: z.array(z.int().min(1).max(7)).max(7),
    from: z.string().max(5),
    to: z.string().max(5),
  }),
);
export type ScheduleRule = z.output<typeof scheduleRule>;

const cents = () => column.integer(1, MAX_AMOUNT_CENTS).nullable();
const units = () => column.integer(1, MOST_UNITS).nullable();

/** What lowers prices (storefront-domain 4.8). */
export const promotionRecord = record('promotions', {
  id: column.id(ids.promotion),
  name: column.text(100, 1),
  type: column.choice(TYPES),
  class: column.choice(CLASSES),
  effect: column.choice(EFFECTS),
  /** percent: basis points; fixed amounts and prices: minor units; otherwise 0. */
  value: column.integer(0, MAX_AMOUNT_CENTS),
  scope: column.choice(SCOPES),
  appliesTo: column.json(() => storedTargets),
  excludes: column.json(() => storedTargets).nullable(),
  excludeSale: column.flag(),
  maxUnits: units(),
  maxDiscountCents: cents(),
  buy: column.json(() => storedTargets).nullable(),
  /** null: the same as `buy`. */
  get: column.json(() => storedTargets).nullable(),
  buyQuantity: units(),
  getQuantity: units(),
  getEffect: column.choice(GET_EFFECTS),
  getValue: column.integer(0, MAX_AMOUNT_CENTS),
  getSelection: column.choice(SELECTIONS),
  maxSets: units(),
  minSubtotalCents: cents(),
  minQuantity: units(),
  customerRule: column.json(() => customerRule),
  shippingRule: column.json(() => shippingRule),
  scheduleRule: column.json(() => scheduleRule).nullable(),
  code: column.text(MOST_CODE, 1).nullable(),
  codeNorm: column
    .text(MOST_CODE * 3, 1)
    .nullable()
    .from(({ code }: { code: string | null }) => (code === null ? null : normed(code))),
  priority: column.integer(0, MOST_PRIORITY),
  stackable: column.flag(),
  combinesWith: column.json(() => z.array(z.enum(CLASSES)).max(3)),
  exclusionGroup: column.text(50, 1).nullable(),
  usageLimit: column.integer(1, MOST_USES).nullable(),
  usageLimitPerCustomer: column.integer(1, MOST_USES).nullable(),
  /** By orders that hold it or have used it. */
  usedCount: column.integer(0, MOST_USES),
  status: column.choice(STATUSES),
  startsAt: column.time().nullable(),
  endsAt: column.time().nullable(),
  /** When an order first took it: what it is worth stays as it is from then on. */
  lockedAt: column.time().nullable(),
  version: column.integer(1),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type Promotion = ValuesOf<typeof promotionRecord>;

/** One of many codes of a promotion. */
export const promotionCodeRecord = record('promotion_codes', {
  id: column.id(ids.promotionCode),
  promotionId: column.id(ids.promotion).references('promotions'),
  code: column.text(MOST_CODE, 1),
  codeNorm: column.text(MOST_CODE * 3, 1).from(({ code }: { code: string }) => normed(code)),
  /** null: as often as the promotion. */
  usageLimit: column.integer(1, MOST_USES).nullable(),
  usedCount: column.integer(0, MOST_USES),
  disabledAt: column.time().nullable(),
  expiresAt: column.time().nullable(),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type PromotionCode = ValuesOf<typeof promotionCodeRecord>;

/** Every code there is, once: of promotions and of their many codes. */
export const codeRegistryRecord = record(
  'code_registry',
  {
    codeNorm: column.text(MOST_CODE * 3, 1),
    kind: column.choice(['promotion', 'promotion_code']),
    refId: column.text(30, 30),
    createdAt: column.time(),
  },
  { key: ['codeNorm'] },
);

/** What an order has taken of a promotion. */
export const redemptionRecord = record(
  'promotion_redemptions',
  {
    id: column.id(ids.promotionRedemption),
    promotionId: column.id(ids.promotion).references('promotions'),
    codeId: column.id(ids.promotionCode).references('promotion_codes').nullable(),
    orderId: column.text(30, 1),
    customerId: column.text(30, 1).nullable(),
    emailNorm: column.text(255).personal((id) => `erased-${id}`),
    amountCents: column.integer(1, MAX_AMOUNT_CENTS),
    status: column.choice(REDEMPTION_STATUSES),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { whose: { ids: { customerId: 'customers', orderId: 'orders' }, email: 'emailNorm' } },
);
export type Redemption = ValuesOf<typeof redemptionRecord>;
