import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import type { OrderItem } from '#storefront/orders/orders/index.ts';
import type { Buyer } from '#storefront/people/groups/index.ts';
import * as carts from '../cart/index.ts';

/** A line that staff want in an order. */
export interface LineSent {
  readonly variantId: string;
  readonly quantity: number;
  /** Minor units; absent: what the shop asks for. */
  readonly unitCents?: number | undefined;
}

/** A line of an order that is being written: what was there before keeps its item. */
export interface Written {
  readonly line: carts.Line;
  readonly unitCents: number;
  readonly item: OrderItem | null;
}

/**
 * A new line, with what is known of its goods now.
 *
 * @param path of the field, for what is refused
 * @param buyer whose price lists count; null for a guest
 * @throws AppError VALIDATION_ERROR for goods that are not sold, and for gift cards
 */
export async function newLine(ctx: Ctx, sent: LineSent, path: string, buyer: Buyer | null): Promise<Written> {
  const goods = await carts.goodsOf(ctx, sent.variantId);
  if (!goods) throw invalidField(`${path}.variant_id`, `variant ${sent.variantId} does not exist`);
  if (!goods.isSold)
    throw invalidField(`${path}.variant_id`, `${goods.sku} is not for sale: publish its product first`);
  if (goods.type === 'gift_card')
    throw invalidField(`${path}.variant_id`, 'is a gift card: issue it under Gift cards instead');
  const line: carts.Line = {
    ...goods,
    itemId: '',
    lineKey: '',
    quantity: sent.quantity,
    giftCard: null,
    fulfilment: null,
  };
  const terms = {
    tiers: new Map([[goods.variantId, await carts.tiersOfVariant(ctx, goods.variantId)]]),
    lists: await carts.listsOfVariant(ctx, buyer, goods.variantId),
    now: ctx.now(),
  };
  return { line, unitCents: sent.unitCents ?? carts.unitOf(line, terms), item: null };
}

/** A line that the order has: it says what it said, also when its goods are gone. */
export async function knownLine(ctx: Ctx, item: OrderItem): Promise<Written> {
  const goods = item.variantId === null ? null : await carts.goodsOf(ctx, item.variantId);
  const isTaxed = item.taxLines.length > 0;
  const line: carts.Line = {
    ...(goods ?? {
      handlingCents: 0,
      compareAtCents: null,
      currency: '',
      isDiscountable: true,
      isTaxable: isTaxed,
      taxClassId: null,
      minQuantity: 1,
      maxQuantity: null,
      isSold: false,
      available: null,
    }),
    variantId: item.variantId ?? '',
    productId: item.productId ?? '',
    slug: item.slug ?? '',
    productTitle: item.title,
    type: item.type,
    sku: item.sku,
    variantTitle: item.variantTitle ?? '',
    priceCents: goods?.priceCents ?? item.unitCents,
    costCents: item.costCents,
    weightG: item.weightG,
    requiresShipping: item.requiresShipping,
    itemId: item.id,
    lineKey: item.id,
    quantity: item.quantity,
    giftCard: item.giftCardData,
    fulfilment: item.fulfilment,
  };
  return { line, unitCents: item.unitCents, item };
}

/** What an edit changes of the lines of an order. */
export interface LinesChange {
  readonly add?: readonly LineSent[] | undefined;
  readonly update?:
    | readonly {
        readonly orderItemId: string;
        readonly quantity?: number | undefined;
        readonly unitCents?: number | undefined;
      }[]
    | undefined;
  /** Ids of lines. */
  readonly remove?: readonly string[] | undefined;
}

/**
 * The lines of an order after a change.
 *
 * @throws AppError NOT_FOUND for a line of another order; VALIDATION_ERROR for one that is named twice, for a gift card,
 *   and when nothing would be left
 */
export async function linesAfter(
  ctx: Ctx,
  items: readonly OrderItem[],
  { add = [], update = [], remove = [] }: LinesChange,
  buyer: Buyer | null,
): Promise<Written[]> {
  const known = new Map(items.map((one) => [one.id, one]));
  const named = [
    ...update.map(({ orderItemId }, at) => [`update.${at}.order_item_id`, orderItemId] as const),
    ...remove.map((id, at) => [`remove.${at}`, id] as const),
  ];
  const seen = new Set<string>();
  for (const [path, id] of named) {
    const item = known.get(id);
    if (!item) throw fail('NOT_FOUND', `the order has no item ${id}`);
    if (seen.has(id)) throw invalidField(path, 'is listed twice');
    if (item.type === 'gift_card') throw invalidField(path, 'is a gift card, which cannot be changed');
    seen.add(id);
  }
  const changes = new Map(update.map((one) => [one.orderItemId, one]));
  const kept = items
    .filter(({ id }) => !remove.includes(id))
    .map((item) => {
      const { quantity = item.quantity, unitCents = item.unitCents } = changes.get(item.id) ?? {};
      return { ...item, quantity, unitCents };
    });
  const lines = [
    ...(await Promise.all(kept.map((item) => knownLine(ctx, item)))),
    ...(await Promise.all(add.map((one, at) => newLine(ctx, one, `add.${at}`, buyer)))),
  ];
  if (lines.length === 0) throw invalidField('remove', 'would leave the order empty: cancel it instead');
  if (lines.length > MOST_LINES) throw invalidField('add', `would result in more than ${MOST_LINES} lines`);
  return lines;
}

/** Lines of an order, as of a cart (storefront-domain 7). */
export const MOST_LINES = 100;
