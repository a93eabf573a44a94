import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import type { Snapshot } from '#storefront/contract/extensions.ts';
import { ids } from '#storefront/contract/ids.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import type { GiftData } from '#storefront/orders/orders/index.ts';
import { find } from '#storefront/people/customers/index.ts';
import { lineTitle, quantitiesLeft, seenOf } from './changes.ts';
import { requireKind } from './gift-card-line.ts';
import { limited } from './limited.ts';
import type { Owner } from './owner.ts';
import { type CartPrice, priceCart } from './price.ts';
import { type Goods, goodsOf, type Line, linesOf } from './queries.ts';
import { type Cart, MOST_LINES, MOST_UNITS, NOTHING_SEEN } from './record.ts';
import * as repo from './repository.ts';
import type { LineNamed } from './schemas.ts';

/** What was put into a cart, and whether it is less than was asked for. */
export interface Added {
  readonly itemId: string;
  readonly quantity: number;
  readonly capped: boolean;
}

/** An empty cart, which nothing stores. */
export function emptyCart(ctx: Ctx, { customerId, sessionKey }: Owner): Cart {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.cart),
    sessionKey: customerId === null ? sessionKey : null,
    customerId,
    email: null,
    phone: null,
    locale: null,
    status: 'active',
    currency: ctx.settings.get(currencyCode),
    shippingAddress: null,
    billingAddress: null,
    shippingMethodId: null,
    acceptsMarketing: false,
    note: null,
    giftMessage: null,
    orderId: null,
    seen: NOTHING_SEEN,
    lastActivityAt: now,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** A new cart; that of a customer begins with the address of the account. */
async function startOf(ctx: Ctx, owner: Owner): Promise<Cart> {
  const customer = owner.customerId === null ? null : await find(ctx, owner.customerId);
  return { ...emptyCart(ctx, owner), email: customer?.email ?? null, phone: customer?.phone ?? null };
}

/** Somebody's cart, priced now; an empty one where there is none. It writes nothing. */
export async function get(ctx: Ctx, owner: Owner): Promise<CartPrice> {
  return priceCart(ctx, (await repo.findCart(ctx, owner)) ?? emptyCart(ctx, owner));
}

/** The active cart of somebody, locked; a new one where there is none. */
async function open(ctx: Ctx, owner: Owner): Promise<Cart> {
  const held = await repo.takeCart(ctx, owner);
  if (held) return held;
  if (owner.customerId === null && owner.sessionKey === null)
    throw fail('VALIDATION_ERROR', 'a cart needs the cookie of a session: open a page of the shop first');
  const cart = await startOf(ctx, owner);
  // Another request of the same browser may have been first.
  return (await repo.insertCart(ctx, cart)) ? cart : ((await repo.takeCart(ctx, owner)) ?? cart);
}

/**
 * Changes somebody's cart in one transaction and prices it. Whatever it is: what has changed meanwhile counts as seen
 * afterwards, lines that are no longer sold go, and no line has more units than there are.
 */
export async function changing<T>(
  ctx: Ctx,
  owner: Owner,
  work: (ctx: Ctx, cart: Cart, lines: Line[]) => Promise<T>,
): Promise<{ readonly cart: CartPrice; readonly result: T }> {
  return ctx.tx(async (ctx) => {
    const cart = await open(ctx, owner);
    const lines = await settled(ctx, await linesOf(ctx, cart.id));
    const result = await work(ctx, cart, lines);
    const priced = await priceCart(ctx, (await repo.findCart(ctx, owner)) ?? cart);
    const seen = seenOf(priced);
    if (JSON.stringify(seen) !== JSON.stringify(priced.cart.seen)) await repo.noteSeen(ctx, cart.id, seen);
    return { cart: { ...priced, cart: { ...priced.cart, seen } }, result };
  });
}

/** Takes out what is no longer sold or sold out, and lowers what is short. @returns the lines that stay */
async function settled(ctx: Ctx, lines: readonly Line[]): Promise<Line[]> {
  const short = quantitiesLeft(lines);
  const kept: Line[] = [];
  for (const line of lines) {
    const quantity = short.get(line.itemId) ?? line.quantity;
    if (!line.isSold || quantity === 0) await repo.deleteItem(ctx, line.itemId);
    else {
      if (quantity !== line.quantity) await repo.setQuantity(ctx, line.itemId, quantity);
      kept.push({ ...line, quantity });
    }
  }
  return kept;
}

/** What makes a line another one: variant, what is to be done with a gift card, and what whoever delivers it is told. */
const keyOf = (variantId: string, giftCard: GiftData | null, fulfilment: Snapshot | null): string =>
  sha256Hex(
    JSON.stringify([variantId, giftCard, ...(fulfilment === null ? [] : [{ ...fulfilment, shown: null }])]),
  );

/**
 * What is sold of a variant, at most as much of it in one cart as whoever delivers it allows.
 *
 * @throws AppError NOT_FOUND for what the shop does not sell: unknown, removed, a draft
 */
async function soldGoods(ctx: Ctx, variantId: string): Promise<Goods> {
  const goods = await goodsOf(ctx, variantId);
  if (goods?.isSold) return limited(ctx, goods);
  throw fail('NOT_FOUND', `variant ${variantId} does not exist`);
}

const outOfStock = (goods: Goods, available: number) =>
  fail('VALIDATION_ERROR', `${lineTitle(goods)} is sold out`, {
    details: { reason: 'OUT_OF_STOCK', variant_id: goods.variantId, available },
  });

/** How many units a line of these goods may have, beside what other lines of the cart have of them. */
function mostOf(goods: Goods, others: number): number {
  const left = goods.available === null ? MOST_UNITS : goods.available - others;
  return Math.max(0, Math.min(MOST_UNITS, goods.maxQuantity ?? MOST_UNITS, left));
}

const othersOf = (lines: readonly Line[], goods: Goods, lineKey: string): number =>
  lines
    .filter((one) => one.variantId === goods.variantId && one.lineKey !== lineKey)
    .reduce((sum, { quantity }) => sum + quantity, 0);

/** What somebody puts into a cart. */
export interface Wanted {
  readonly variantId: string;
  readonly quantity: number;
  readonly giftCard?: GiftData | null;
  /** What whoever delivers it has to know; `shown` of it is read with the line. Never out of a request. */
  readonly fulfilment?: Snapshot | null;
  /** Asked for again, the line stays as it is. */
  readonly isOnce?: boolean;
}

/**
 * Puts goods into somebody's cart; the same thing again raises its line. More than there is is lowered to what there is,
 * and less than the least quantity is raised to it (storefront-domain 7).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason OUT_OF_STOCK when nothing is left, for a full cart, and as
 *   `requireKind`
 */
export async function add(
  ctx: Ctx,
  owner: Owner,
  { variantId, quantity, giftCard = null, fulfilment = null, isOnce = false }: Wanted,
): Promise<{ cart: CartPrice; result: Added }> {
  const lineKey = keyOf(variantId, giftCard, fulfilment);
  return changing(ctx, owner, async (ctx, cart, lines) => {
    const goods = await soldGoods(ctx, variantId);
    requireKind(ctx, goods, giftCard);
    const before = lines.find((line) => line.lineKey === lineKey);
    const most = mostOf(goods, othersOf(lines, goods, lineKey));
    if (most === 0) throw outOfStock(goods, 0);
    const had = before?.quantity ?? 0;
    const wanted = Math.max(goods.minQuantity, isOnce && had > 0 ? had : had + quantity);
    const now = Math.min(wanted, most);
    const capped = now < wanted;
    if (before) {
      await repo.setQuantity(ctx, before.itemId, now);
      return { itemId: before.itemId, quantity: now, capped };
    }
    if (lines.length >= MOST_LINES)
      throw fail('VALIDATION_ERROR', `a cart has at most ${MOST_LINES} lines; order these first`);
    return {
      itemId: await insertLine(ctx, cart, lines, { goods, giftCard, fulfilment, lineKey, quantity: now }),
      quantity: now,
      capped,
    };
  });
}

async function insertLine(
  ctx: Ctx,
  cart: Cart,
  lines: readonly Line[],
  { goods, ...line }: { goods: Goods } & Pick<Line, 'giftCard' | 'fulfilment' | 'lineKey' | 'quantity'>,
): Promise<string> {
  const id = ctx.newId(ids.cartItem);
  const at = ctx.now();
  await repo.insertItem(ctx, {
    id,
    cartId: cart.id,
    variantId: goods.variantId,
    quantity: line.quantity,
    giftCardData: line.giftCard,
    fulfilment: line.fulfilment,
    lineKey: line.lineKey,
    position: lines.length,
    createdAt: at,
    updatedAt: at,
  });
  return id;
}

/** The line that is meant. @throws AppError NOT_FOUND; VALIDATION_ERROR when several lines have the variant */
function lineNamed(lines: readonly Line[], { item_id, variant_id }: LineNamed): Line {
  const found = lines.filter((line) =>
    item_id === undefined ? line.variantId === variant_id : line.itemId === item_id,
  );
  if (item_id === undefined && variant_id === undefined)
    throw fail('VALIDATION_ERROR', 'item_id is required', {
      details: { issues: [{ path: 'item_id', rule: 'required', message: 'is required' }] },
    });
  const [line, another] = found;
  if (!line) throw fail('NOT_FOUND', `the cart has no item ${item_id ?? variant_id}`);
  if (another) throw invalidField('item_id', 'is required: the cart has several lines of this variant');
  return line;
}

/**
 * Sets the quantity of a line; 0 removes it.
 *
 * @throws AppError NOT_FOUND for another cart's line; VALIDATION_ERROR below the least quantity, and OUT_OF_STOCK
 */
export async function setQuantity(
  ctx: Ctx,
  owner: Owner,
  named: LineNamed,
  quantity: number,
): Promise<{ cart: CartPrice; result: Added }> {
  return changing(ctx, owner, async (ctx, _cart, lines) => {
    const line = lineNamed(lines, named);
    const result = (now: number) => ({ itemId: line.itemId, quantity: now, capped: now < quantity });
    if (quantity === 0) {
      await repo.deleteItem(ctx, line.itemId);
      return result(0);
    }
    if (quantity < line.minQuantity)
      throw invalidField('quantity', `${lineTitle(line)} is sold from ${line.minQuantity} units on`);
    const most = mostOf(await limited(ctx, line), othersOf(lines, line, line.lineKey));
    if (most === 0) throw outOfStock(line, 0);
    const now = Math.min(quantity, most);
    await repo.setQuantity(ctx, line.itemId, now);
    return result(now);
  });
}

/** Removes a line. @throws AppError as `setQuantity` */
export const remove = (ctx: Ctx, owner: Owner, named: LineNamed) => setQuantity(ctx, owner, named, 0);

/** Empties somebody's cart: lines and codes. */
export const clear = (ctx: Ctx, owner: Owner) =>
  changing(ctx, owner, (ctx, { id }) => repo.emptyCart(ctx, id));

/** Everything that has changed counts as seen. */
export const acceptChanges = (ctx: Ctx, owner: Owner) => changing(ctx, owner, async () => undefined);

/** What a checkout and the forms of the cart write into it. */
export type CartFields = Partial<
  Pick<
    Cart,
    | 'email'
    | 'phone'
    | 'locale'
    | 'shippingAddress'
    | 'billingAddress'
    | 'shippingMethodId'
    | 'acceptsMarketing'
    | 'note'
    | 'giftMessage'
  >
>;

/**
 * Writes fields of the cart that somebody has, and makes none: it may have been ordered meanwhile.
 *
 * @param cartId of the only cart that is meant; any when absent
 */
export const writeExisting = (ctx: Ctx, owner: Owner, fields: CartFields, cartId?: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const seen = await repo.findCart(ctx, owner);
    if (!seen || (cartId !== undefined && seen.id !== cartId)) return;
    const cart = await repo.takeCart(ctx, owner);
    if (cart?.id === seen.id) await repo.updateCart(ctx, { ...cart, ...fields });
  });

/** Writes fields of somebody's cart. */
export const write = (ctx: Ctx, owner: Owner, fields: CartFields) =>
  changing(ctx, owner, (ctx, cart) => repo.updateCart(ctx, { ...cart, ...fields }));
