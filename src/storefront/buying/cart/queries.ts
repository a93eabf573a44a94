import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import type { Snapshot } from '#storefront/contract/extensions.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import type { PriceTier } from '#storefront/contract/unit-price.ts';
import type { GiftData } from '#storefront/orders/orders/index.ts';
import type { Owner } from './owner.ts';

/** A variant with all that decides whether, how many and at what price it is sold, at the time of reading. */
export interface Goods {
  readonly variantId: string;
  readonly productId: string;
  readonly slug: string;
  readonly productTitle: string;
  readonly type: string;
  readonly sku: string;
  readonly variantTitle: string;
  readonly priceCents: number;
  readonly compareAtCents: number | null;
  readonly costCents: number | null;
  readonly currency: string;
  readonly weightG: number;
  readonly requiresShipping: boolean;
  readonly handlingCents: number;
  readonly isDiscountable: boolean;
  readonly isTaxable: boolean;
  readonly taxClassId: string | null;
  readonly minQuantity: number;
  readonly maxQuantity: number | null;
  /** It is for sale: its product is shown, and neither was removed. */
  readonly isSold: boolean;
  /** Units that can be bought; null: as many as anybody wants. */
  readonly available: number | null;
}

/** A line with its goods. */
export interface Line extends Goods {
  readonly itemId: string;
  readonly quantity: number;
  readonly giftCard: GiftData | null;
  readonly fulfilment: Snapshot | null;
  readonly lineKey: string;
}

interface GoodsRow {
  variant_id: string;
  product_id: string;
  slug: string;
  product_title: string;
  type: string;
  status: string;
  publish_at: string | null;
  sku: string;
  variant_title: string;
  price_cents: number | string;
  compare_at_cents: number | string | null;
  cost_cents: number | string | null;
  currency: string;
  weight_g: number;
  requires_shipping: unknown;
  handling_cents: number | string | null;
  is_discountable: unknown;
  is_taxable: unknown;
  tax_class_id: string | null;
  min_quantity: number;
  max_quantity: number | null;
  deleted_at: string | null;
  on_hand: number | null;
  reserved: number | null;
  track_inventory: unknown;
  allow_backorder: unknown;
}

interface LineRow extends GoodsRow {
  item_id: string;
  quantity: number;
  gift_card_data: unknown;
  fulfilment: unknown;
  line_key: string;
  own_units: number | string | null;
}

/** Variants with their goods; `q` begins the query, `v` is the variant. */
const goods = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query
    .join({ p: 'products' }, 'p.id', 'v.product_id')
    .leftJoin({ l: 'inventory_levels' }, 'l.variant_id', 'v.id')
    .leftJoin({ c: 'shipping_classes' }, 'c.id', 'v.shipping_class_id')
    .select(
      { variant_id: 'v.id', variant_title: 'v.title', product_title: 'p.title' },
      'v.product_id',
      'v.sku',
      'v.price_cents',
      'v.compare_at_cents',
      'v.cost_cents',
      'v.currency',
      'v.weight_g',
      'v.requires_shipping',
      'v.deleted_at',
      'p.slug',
      'p.type',
      'p.status',
      'p.publish_at',
      'p.is_discountable',
      'p.is_taxable',
      'p.tax_class_id',
      'p.min_quantity',
      'p.max_quantity',
      'c.handling_cents',
      'l.on_hand',
      'l.reserved',
      'l.track_inventory',
      'l.allow_backorder',
    );

const cents = (value: number | string | null): number | null => (value === null ? null : Number(value));

/** @param ownUnits that an order of the same cart holds: it was not placed, and holds them for this cart */
function goodsIn(ctx: Ctx, row: GoodsRow, ownUnits = 0): Goods {
  const isOut = row.type === 'gift_card' && !ctx.settings.get(featureSettings.gift_cards_enabled);
  const isShown = row.status === 'active' && (row.publish_at === null || row.publish_at <= ctx.now());
  const isLimited = readFlag(row.track_inventory) && !readFlag(row.allow_backorder);
  return {
    variantId: row.variant_id,
    productId: row.product_id,
    slug: row.slug,
    productTitle: row.product_title,
    type: row.type,
    sku: row.sku,
    variantTitle: row.variant_title,
    priceCents: Number(row.price_cents),
    compareAtCents: cents(row.compare_at_cents),
    costCents: cents(row.cost_cents),
    currency: row.currency,
    weightG: Number(row.weight_g),
    requiresShipping: readFlag(row.requires_shipping),
    handlingCents: cents(row.handling_cents) ?? 0,
    isDiscountable: readFlag(row.is_discountable) && row.type !== 'gift_card',
    isTaxable: readFlag(row.is_taxable) && row.type !== 'gift_card',
    taxClassId: row.tax_class_id,
    minQuantity: Number(row.min_quantity),
    maxQuantity: row.max_quantity === null ? null : Number(row.max_quantity),
    isSold: isShown && !isOut && row.deleted_at === null,
    available: isLimited ? Math.max(0, Number(row.on_hand) - Number(row.reserved) + ownUnits) : null,
  };
}

const goodsOfOne = statement<{ id: string }, GoodsRow>((q, p) =>
  goods(q({ v: 'product_variants' }).where('v.id', p('id'))),
);
const goodsOfCart = statement<{ id: string }, LineRow>((q, p) =>
  goods(
    q({ i: 'cart_items' })
      .join({ v: 'product_variants' }, 'v.id', 'i.variant_id')
      .join({ k: 'carts' }, 'k.id', 'i.cart_id'),
  )
    .where('i.cart_id', p('id'))
    .orderBy(['i.position', 'i.id'])
    .select({ item_id: 'i.id' }, 'i.quantity', 'i.gift_card_data', 'i.fulfilment', 'i.line_key')
    .select({
      own_units: q({ r: 'stock_reservations' })
        .whereRaw('r.order_id = k.order_id')
        .whereRaw('r.variant_id = i.variant_id')
        .where('r.status', 'held')
        .sum('r.quantity'),
    }),
);

/** What is known of a variant; null for one that does not exist. */
export async function goodsOf(ctx: Ctx, variantId: string): Promise<Goods | null> {
  const row = await goodsOfOne.first(ctx.db, { id: variantId });
  return row ? goodsIn(ctx, row) : null;
}

/** How the only variant of a product is called, which nobody is told. */
const ONLY = 'Default';

/** The lines of a cart in their order, with what is known of their goods now. */
export async function linesOf(ctx: Ctx, cartId: string): Promise<Line[]> {
  return (await goodsOfCart.all(ctx.db, { id: cartId })).map((row) => lineIn(ctx, row));
}

/** What is special about a line is read with its variant. */
function titled(variantTitle: string, fulfilment: Snapshot | null): string {
  const shown = fulfilment?.shown;
  if (typeof shown !== 'string') return variantTitle;
  return variantTitle === ONLY ? shown : `${variantTitle} · ${shown}`;
}

function lineIn(ctx: Ctx, row: LineRow): Line {
  const goods = goodsIn(ctx, row, Number(row.own_units ?? 0));
  const giftCard = readJsonOrNull<GiftData>(row.gift_card_data);
  const fulfilment = readJsonOrNull<Snapshot>(row.fulfilment);
  // A variant of `$25` is no name for a gift card of another amount.
  const isNamed = giftCard === null || giftCard.amountCents === goods.priceCents;
  return {
    ...goods,
    minQuantity: Math.max(goods.minQuantity, Number(fulfilment?.least ?? 0)),
    variantTitle: titled(isNamed ? goods.variantTitle : ONLY, fulfilment),
    itemId: row.item_id,
    quantity: Number(row.quantity),
    giftCard,
    fulfilment,
    lineKey: row.line_key,
  };
}

const tiers = statement<
  { id: string },
  { variant_id: string; min_quantity: number; unit_cents: number | string }
>((q, p) =>
  q({ i: 'cart_items' })
    .join({ t: 'price_list_prices' }, 't.variant_id', 'i.variant_id')
    .where('i.cart_id', p('id'))
    .whereNull('t.price_list_id')
    .orderBy(['t.variant_id', 't.min_quantity'])
    .distinct('t.variant_id', 't.min_quantity', 't.unit_cents'),
);

/** Public quantity breaks of what is in a cart, by variant. */
export async function tiersOf({ db }: Ctx, cartId: string): Promise<ReadonlyMap<string, PriceTier[]>> {
  const rows = await tiers.all(db, { id: cartId });
  const found = new Map<string, PriceTier[]>();
  for (const { variant_id, min_quantity, unit_cents } of rows)
    found.set(variant_id, [
      ...(found.get(variant_id) ?? []),
      { minQuantity: Number(min_quantity), unitCents: Number(unit_cents) },
    ]);
  return found;
}

const tiersOfOne = statement<{ id: string }, { min_quantity: number; unit_cents: number | string }>((q, p) =>
  q('price_list_prices')
    .where('variant_id', p('id'))
    .whereNull('price_list_id')
    .select('min_quantity', 'unit_cents'),
);
/** Public quantity breaks of a variant. */
export const tiersOfVariant = async ({ db }: Ctx, id: string): Promise<PriceTier[]> =>
  (await tiersOfOne.all(db, { id })).map(({ min_quantity, unit_cents }) => ({
    minQuantity: Number(min_quantity),
    unitCents: Number(unit_cents),
  }));

const units = statement<{ key: string }, { units: number | string | null }>((q, p) =>
  q({ i: 'cart_items' })
    .join({ c: 'carts' }, 'c.id', 'i.cart_id')
    .where('c.status', 'active')
    .where((any) => any.where('c.session_key', p('key')).orWhere('c.customer_id', p('key')))
    .sum({ units: 'i.quantity' }),
);

/** How many units the cart of somebody has. */
export async function countUnits({ db }: Ctx, { customerId, sessionKey }: Owner): Promise<number> {
  const key = customerId ?? sessionKey;
  if (key === null) return 0;
  return Number((await units.first(db, { key }))?.units ?? 0);
}

/** A gift card that the shop sells, with the variants that can be bought. */
export interface CardOnSale {
  readonly productId: string;
  readonly slug: string;
  readonly title: string;
  readonly variants: readonly { readonly id: string; readonly priceCents: number }[];
}

const cards = statement<{ now: string }, GoodsRow>((q, p) =>
  goods(q({ v: 'product_variants' }))
    .where('p.type', 'gift_card')
    .where('p.status', 'active')
    .whereNull('v.deleted_at')
    .whereRaw('(p.publish_at IS NULL OR p.publish_at <= ?)', [p('now')])
    .orderBy(['p.title', 'p.id', 'v.position', 'v.id']),
);

/** The gift cards that can be bought now, by title. */
export async function cardsOnSale(ctx: Ctx): Promise<CardOnSale[]> {
  const rows = (await cards.all(ctx.db, { now: ctx.now() })).map((row) => goodsIn(ctx, row));
  const sold = rows.filter(({ isSold, available }) => isSold && available !== 0);
  return [...new Set(sold.map(({ productId }) => productId))].flatMap((id) => {
    const own = sold.filter(({ productId }) => productId === id);
    const variants = own.map(({ variantId, priceCents }) => ({ id: variantId, priceCents }));
    return own[0] ? [{ productId: id, slug: own[0].slug, title: own[0].productTitle, variants }] : [];
  });
}
