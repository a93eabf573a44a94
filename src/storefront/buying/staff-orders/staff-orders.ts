import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import { markOrdered } from '#storefront/catalog/products/index.ts';
import type { Address } from '#storefront/contract/address.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import { activeProcessors, paymentUnavailable } from '#storefront/orders/processors/index.ts';
import { emailNormed, find, guestOf } from '#storefront/people/customers/index.ts';
import { buyerOf } from '#storefront/people/groups/index.ts';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import { type CartPrice, usesOf } from '../cart/index.ts';
import { type PayLink, payableUntil, send } from '../pay-links/index.ts';
import { hookedDraft } from './hooked.ts';
import { knownLine, type LineSent, newLine } from './lines.ts';
import {
  type Draftable,
  draftableOf,
  draftFrom,
  type ManualDiscount,
  priced,
  requireDiscounts,
} from './priced.ts';

type Order = orders.Order;

/** How staff ask for the money of an order. */
export type Asking = 'link' | 'offline';

/** An order that staff write. */
export interface StaffOrder {
  readonly customerId?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly items: readonly LineSent[];
  readonly shipping: Address | null;
  readonly billing: Address | null;
  readonly shippingMethodId?: string | undefined;
  /** Instead of the price of the method. */
  readonly shippingCents?: number | undefined;
  readonly codes: readonly string[];
  readonly manual: readonly ManualDiscount[];
  readonly note?: string | undefined;
  /** null: it stays a draft. */
  readonly payment: Asking | null;
}

/** An order that staff have written or placed. */
export interface Written {
  readonly order: Order;
  /** Where it is paid, when a link was sent. */
  readonly link: PayLink | null;
}

/**
 * Writes an order for a customer. It is a draft, which holds no goods and has no number, or it is placed at once.
 *
 * @throws AppError NOT_FOUND for an unknown customer; VALIDATION_ERROR; reasons PROMOTION_INVALID, and those of `place`
 */
export async function create(ctx: Ctx, input: StaffOrder): Promise<Written> {
  const written = await ctx.tx(async (ctx) => {
    const one = await draftableIn(ctx, input);
    const price = await priced(ctx, one);
    requireDiscounts(price, one);
    requireMethod(price, input);
    const draft = draftFrom(ctx, one, price, {
      id: ctx.newId(ids.order),
      orderNumber: null,
      createdAt: ctx.now(),
      customerId: one.customerId,
      dueAt: null,
      source: ctx.actor.kind === 'api_key' ? 'api' : 'admin',
    });
    const order = withShipping(draft.order, price, input.shippingCents);
    await orders.insert(ctx, { ...draft, order });
    await orders.note(ctx, order.id, { type: 'status', to: 'draft' });
    if (input.payment !== null) return placeLocked(ctx, order, input.payment);
    await orders.tellDraft(ctx, order, null);
    return { order, link: null };
  });
  return { ...written, order: await orders.completePaid(ctx, written.order) };
}

/**
 * Writes an order and places it, in the transaction of who calls, who prices it: goods in exchange for others.
 *
 * @param payment how a difference is paid; nothing is asked for when nothing is due
 * @throws AppError as `place`
 */
export async function writePlaced(
  ctx: Ctx,
  one: Draftable,
  source: Order['source'],
  payment: Asking,
): Promise<Written> {
  const price = await priced(ctx, one);
  requireDiscounts(price, one);
  const facts = { id: ctx.newId(ids.order), orderNumber: null, createdAt: ctx.now(), dueAt: null, source };
  const draft = draftFrom(ctx, one, price, { ...facts, customerId: one.customerId });
  const order = withShipping(draft.order, price, 0);
  await orders.insert(ctx, { ...draft, order });
  await orders.note(ctx, order.id, { type: 'status', to: 'draft' });
  return placeLocked(ctx, order, payment);
}

async function draftableIn(ctx: Ctx, input: StaffOrder): Promise<Draftable> {
  const customer = input.customerId === undefined ? null : await find(ctx, input.customerId);
  if (input.customerId !== undefined && !customer)
    throw fail('NOT_FOUND', `customer ${input.customerId} does not exist`);
  const email = input.email ?? customer?.email;
  if (email === undefined) throw invalidField('email', 'is required without customer_id');
  const buyer = await buyerOf(ctx, customer?.id ?? null);
  const lines = await Promise.all(input.items.map((one, at) => newLine(ctx, one, `items.${at}`, buyer)));
  return {
    customerId: customer?.id ?? null,
    email,
    phone: input.phone ?? null,
    locale: customer?.locale ?? 'en',
    shipping: input.shipping,
    billing: input.billing,
    methodId: input.shippingMethodId ?? null,
    note: input.note ?? null,
    codes: input.codes,
    manual: input.manual,
    lines,
    terms: { shippingCents: input.shippingCents ?? null, met: null, includesTax: null },
  };
}

/** A method that was named has to be one that ships the order. */
function requireMethod({ method, needsShipping }: CartPrice, input: StaffOrder): void {
  if (input.shippingMethodId === undefined || method || !needsShipping) return;
  throw invalidField(
    'shipping_method_id',
    input.shipping === null
      ? 'needs a shipping address'
      : 'is not offered for this order: choose another method, or send shipping_cents',
  );
}

/** Shipping at a price of staff has a name, too: that is how an order says that it is shipped. */
export const withShipping = (order: Order, { needsShipping }: CartPrice, cents?: number): Order =>
  cents !== undefined && needsShipping && order.shippingMethodName === null
    ? { ...order, shippingMethodName: 'Shipping' }
    : order;

/** How a draft becomes an order. */
export interface Placing {
  readonly payment: Asking;
  /** The total that staff saw. */
  readonly expectedTotalCents?: number | undefined;
}

/**
 * Places a draft: it gets its number, takes its goods and the uses of its promotions, and is paid by a link that is mailed,
 * or later (storefront-domain 6.1). With a link it is placed for everybody once it is paid; until then its goods are held.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR with what is missing; reason INVALID_TRANSITION, TOTAL_CHANGED,
 *   OUT_OF_STOCK, PROMOTION_EXHAUSTED or PAYMENT_UNAVAILABLE
 */
export async function place(ctx: Ctx, idOrNumber: string, how: Placing): Promise<Written> {
  const written = await ctx.tx(async (ctx) =>
    placeLocked(ctx, await orders.lock(ctx, idOrNumber), how.payment, how.expectedTotalCents),
  );
  return { ...written, order: await orders.completePaid(ctx, written.order) };
}

async function placeLocked(ctx: Ctx, before: Order, payment: Asking, expected?: number): Promise<Written> {
  orders.requireAllowed(before, 'place_draft');
  const whole = await orders.whole(ctx, before);
  const lines = await Promise.all(whole.items.map((item) => knownLine(ctx, item)));
  const { one, price } = await hookedDraft(ctx, await draftableOf(ctx, whole, lines, null), before, payment);
  requirePlaceable(before, price, one, expected);
  const isFree = price.price.totals.dueCents === 0;
  if (!isFree) requirePayable(ctx, payment);
  const customerId = before.customerId ?? (await guestFor(ctx, one)).id;
  const draft = draftFrom(ctx, one, price, {
    id: before.id,
    orderNumber: null,
    createdAt: before.createdAt,
    customerId,
    dueAt: null,
    source: before.source,
  });
  const { shippingMethodId, shippingMethodName, tags, internalNote, ip, userAgent, version } = before;
  const kept = { shippingMethodId, shippingMethodName, tags, internalNote, ip, userAgent, version };
  const rebuilt = { ...draft.order, ...kept };
  await orders.rebuild(ctx, { ...draft, order: rebuilt }, 'draft');
  const pending = await orders.transition(ctx, rebuilt, 'place_draft', {
    orderNumber: await orders.nextNumber(ctx),
    processor: isFree || payment === 'link' ? null : 'offline',
    dueAt: payableUntil(ctx),
  });
  await take(ctx, pending, draft.items, price);
  if (isFree) return { order: await payments.place(ctx, pending, 'accept'), link: null };
  if (payment === 'offline') return { order: await payments.place(ctx, pending, 'place_unpaid'), link: null };
  await orders.tellDraft(ctx, pending, before);
  return { order: pending, link: await send(ctx, pending.id, null) };
}

const missing = (path: string, message: string) =>
  fail('VALIDATION_ERROR', message, { details: { issues: [{ path, rule: 'required', message }] } });

function requirePlaceable(order: Order, price: CartPrice, one: Draftable, expected?: number): void {
  if (price.needsShipping && one.shipping === null)
    throw missing('shipping_address', 'A shipping address is required: change the order, then place it');
  if (price.needsShipping && order.shippingMethodName === null)
    throw missing(
      'shipping_cents',
      'Set the shipping price: edit the order with shipping_cents, 0 if it is free',
    );
  const { totalCents } = price.price.totals;
  if (expected === undefined || expected === totalCents) return;
  throw fail('VALIDATION_ERROR', 'The total has changed. Review the order and place it again', {
    details: { reason: 'TOTAL_CHANGED', totals: { total_cents: totalCents } },
  });
}

/** @throws AppError VALIDATION_ERROR, reason PAYMENT_UNAVAILABLE */
function requirePayable(ctx: Ctx, payment: Asking): void {
  const active = activeProcessors(ctx);
  if (active.length === 0)
    throw paymentUnavailable(
      'No payment method is set up: choose a payment processor under Settings > Payment',
    );
  if (payment === 'link' || active.some(({ kind }) => kind === 'offline')) return;
  throw paymentUnavailable(
    'Offline payments are not offered: turn them on under Settings > Payment, or send a payment link',
  );
}

function guestFor(ctx: Ctx, { email, phone, locale, shipping, billing }: Draftable) {
  const { firstName = null, lastName = null } = shipping ?? billing ?? {};
  return guestOf(ctx, { email, firstName, lastName, phone, locale });
}

/** What is scarce, in the order in which everybody locks it (storefront-domain 8). */
async function take(
  ctx: Ctx,
  order: Order,
  items: readonly orders.OrderItem[],
  price: CartPrice,
): Promise<void> {
  await inventory.reserve(ctx, order.id, wantedOf(items), order.dueAt as string);
  await markOrdered(
    ctx,
    items.flatMap(({ variantId }) => variantId ?? []),
  );
  const uses = usesOf(price);
  const { id: orderId, customerId, email } = order;
  if (uses.length > 0)
    await promotions.take(ctx, { orderId, customerId, emailNorm: emailNormed(email) }, uses);
}

/** Units that the lines of an order ask for. @throws AppError VALIDATION_ERROR for goods that are gone */
export const wantedOf = (items: readonly orders.OrderItem[]): inventory.Wanted[] =>
  items.map(({ id, variantId, sku, quantity }) => {
    if (variantId === null)
      throw fail('VALIDATION_ERROR', `${sku} no longer exists: remove it from the order`, {
        details: { reason: 'OUT_OF_STOCK' },
      });
    return { orderItemId: id, variantId, quantity };
  });
