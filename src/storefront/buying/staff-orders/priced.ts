import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { normed } from '#storefront/catalog/products/index.ts';
import type { Address } from '#storefront/contract/address.ts';
import { ids } from '#storefront/contract/ids.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import type {
  Order,
  OrderAddress,
  OrderAdjustment,
  OrderDraft,
  OrderItem,
  WholeOrder,
} from '#storefront/orders/orders/index.ts';
import { buyerOf } from '#storefront/people/groups/index.ts';
import { promotionsOf } from '#storefront/pricing/promotions/index.ts';
import * as carts from '../cart/index.ts';
import { draftOf } from '../checkout/index.ts';
import type { Written } from './lines.ts';

/** What staff take off the order as a whole. */
export interface ManualDiscount {
  readonly label: string;
  readonly amountCents: number;
}

/** An order that is being written: whose it is, where it goes, and what staff decide of its price. */
export interface Draftable {
  readonly customerId: string | null;
  readonly email: string;
  readonly phone: string | null;
  readonly locale: string;
  readonly shipping: Address | null;
  readonly billing: Address | null;
  readonly methodId: string | null;
  readonly note: string | null;
  readonly codes: readonly string[];
  readonly manual: readonly ManualDiscount[];
  readonly lines: readonly Written[];
  readonly terms: Omit<carts.Terms, 'manualCents'>;
  /** Of an order that stands. */
  readonly currency?: string;
}

/** Prices it by the engine of carts. @throws AppError VALIDATION_ERROR for a discount above what the goods cost */
export async function priced(ctx: Ctx, one: Draftable): Promise<carts.CartPrice> {
  const cart: carts.Cart = {
    ...carts.emptyCart(ctx, { customerId: one.customerId, sessionKey: null }),
    email: one.email,
    phone: one.phone,
    locale: one.locale,
    currency: one.currency ?? ctx.settings.get(currencyCode),
    shippingAddress: one.shipping,
    billingAddress: one.billing,
    shippingMethodId: one.methodId,
    note: one.note,
  };
  const createdAt = ctx.now();
  const codes = one.codes.map((code, position) => ({
    cartId: cart.id,
    kind: 'promotion' as const,
    codeNorm: normed(code),
    shown: code,
    refId: code,
    position,
    createdAt,
  }));
  return carts.priceLines(
    ctx,
    {
      cart,
      buyer: await buyerOf(ctx, one.customerId),
      lines: one.lines.map(({ line }) => line),
      units: one.lines.map(({ unitCents }) => unitCents),
      codes,
      giftCards: [],
    },
    { terms: { ...one.terms, manualCents: one.manual.map(({ amountCents }) => amountCents) } },
  );
}

/**
 * What staff wanted to take off has to be there, and each code has to lower something.
 *
 * @throws AppError VALIDATION_ERROR; reason PROMOTION_INVALID for a code
 */
export function requireDiscounts(
  { cart, price, met }: carts.CartPrice,
  { codes, manual }: Pick<Draftable, 'codes' | 'manual'>,
): void {
  for (const code of codes) {
    const refused = price.refused.find((one) => one.code === normed(code));
    if (!refused && !met.unknown.includes(normed(code))) continue;
    throw fail(
      'VALIDATION_ERROR',
      `the code ${code} cannot be used for this order: check it under Promotions`,
      {
        details: { reason: 'PROMOTION_INVALID', refusal: refused?.refusal ?? 'unknown' },
      },
    );
  }
  for (const [at, { amountCents }] of manual.entries()) {
    const taken = (price.manual[at] ?? []).reduce((sum, cents) => sum + cents, 0);
    if (taken < amountCents)
      throw invalidField(
        `discounts.${at}.amount_cents`,
        `is more than the ${moneyWords({ amountCents: taken, currency: cart.currency }, 'en')} that the items cost`,
      );
  }
}

/** What an order has beside its lines and their price. */
export type Facts = Pick<Order, 'id' | 'orderNumber' | 'createdAt' | 'customerId' | 'dueAt' | 'source'>;

/** The order that follows, with its parts: what was there before keeps its ids. */
export function draftFrom(ctx: Ctx, one: Draftable, price: carts.CartPrice, facts: Facts): OrderDraft {
  const { source, ...rest } = facts;
  const made = draftOf(ctx, price, { ...rest, email: one.email, processor: null, risk: null });
  const idsBefore = new Map(made.items.map(({ id }, at) => [id, one.lines[at]?.item?.id ?? id]));
  const items = made.items.map((item, at) => itemFrom(item, one.lines[at]?.item ?? null));
  const adjustments = [
    ...made.adjustments.map((row) => ({
      ...row,
      orderItemId: row.orderItemId && (idsBefore.get(row.orderItemId) ?? row.orderItemId),
    })),
    ...manualRows(ctx, one, price, items, facts.id),
  ];
  return {
    order: { ...made.order, source, cartId: null, status: 'draft' },
    items,
    adjustments,
    addresses: made.addresses,
  };
}

const itemFrom = (made: OrderItem, before: OrderItem | null): OrderItem =>
  before
    ? {
        ...made,
        id: before.id,
        variantId: before.variantId,
        productId: before.productId,
        variantTitle: before.variantTitle,
        slug: before.slug,
        cancelledQuantity: before.cancelledQuantity,
        createdAt: before.createdAt,
      }
    : made;

function manualRows(
  ctx: Ctx,
  { manual }: Draftable,
  { price }: carts.CartPrice,
  items: readonly OrderItem[],
  orderId: string,
): OrderAdjustment[] {
  const createdAt = ctx.now();
  return manual.flatMap(({ label }, at) =>
    (price.manual[at] ?? []).flatMap((amountCents, line) =>
      amountCents === 0
        ? []
        : [
            {
              id: ctx.newId(ids.orderAdjustment),
              orderId,
              orderItemId: (items[line] as OrderItem).id,
              kind: 'manual' as const,
              promotionId: null,
              code: null,
              label,
              amountCents,
              createdAt,
            },
          ],
    ),
  );
}

/**
 * An order that stands, to be priced again with other lines: with its own prices, its own shipping, and the promotions that
 * it has (storefront-domain 6.1).
 */
export async function draftableOf(
  ctx: Ctx,
  { order, adjustments, shipping, billing }: WholeOrder,
  lines: readonly Written[],
  shippingCents: number | null,
): Promise<Draftable> {
  const manual = new Map<string, number>();
  for (const { kind, label, amountCents } of adjustments)
    if (kind === 'manual') manual.set(label, (manual.get(label) ?? 0) + amountCents);
  const kept = adjustments.flatMap(({ promotionId, code }) =>
    promotionId === null ? [] : [{ promotionId, code }],
  );
  const met = await promotionsOf(ctx, kept);
  return {
    customerId: order.customerId,
    email: order.email,
    phone: order.phone,
    locale: order.locale,
    shipping: shipping && plain(shipping),
    billing: billing && plain(billing),
    methodId: order.shippingMethodId,
    note: order.note,
    codes: met.codes,
    manual: [...manual].map(([label, amountCents]) => ({ label, amountCents })),
    lines,
    terms: { shippingCents: shippingCents ?? order.shippingCents, met, includesTax: order.pricesIncludeTax },
    currency: order.currency,
  };
}

/** An address of an order without what the order knows of it. */
export const plain = ({
  id: _id,
  orderId: _order,
  kind: _kind,
  createdAt: _at,
  updatedAt: _last,
  ...address
}: OrderAddress): Address => address;

/** Amounts of an order that follow from its lines: what was paid and what went back stay. */
export const AMOUNTS = [
  'itemCount',
  'subtotalCents',
  'itemDiscountCents',
  'orderDiscountCents',
  'shippingCents',
  'shippingDiscountCents',
  'taxCents',
  'shippingTaxCents',
  'shippingTaxLines',
  'totalCents',
  'fulfillmentStatus',
] as const satisfies readonly (keyof Order)[];

/** An order with the amounts of what was priced. */
export const withAmounts = (order: Order, made: Order): Order => ({
  ...order,
  ...Object.fromEntries(AMOUNTS.map((name) => [name, made[name]])),
});
