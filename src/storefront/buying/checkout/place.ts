import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import * as inventory from '#storefront/catalog/inventory/index.ts';
import { markOrdered } from '#storefront/catalog/products/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { orderPaymentWindowMinutes } from '#storefront/contract/payment-settings.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import { processorOf } from '#storefront/orders/processors/index.ts';
import { emailNormed, guestOf } from '#storefront/people/customers/index.ts';
import { setMarketing } from '#storefront/people/privacy/index.ts';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import * as carts from '../cart/index.ts';
import { draftOf } from './draft.ts';
import { changedByHooks } from './hooked.ts';
import { problemsOf, requireNone } from './problems.ts';
import { replayOf } from './replay.ts';
import type { Placed, PlaceInput, WaysOf } from './types.ts';

/**
 * Makes an order of somebody's cart: reserve, charge, settle (storefront-domain 8). What is scarce is taken by one
 * transaction before anything is charged; the processor is called outside of any; a second one settles what it answered.
 * However often it is called for one cart, there is one order, and one open payment.
 *
 * @throws AppError VALIDATION_ERROR with what is missing; reason TOTAL_CHANGED, CART_CHANGED, OUT_OF_STOCK,
 *   PROMOTION_EXHAUSTED, GIFT_CARD_EMPTY, PAYMENT_UNAVAILABLE or PAYMENT_IN_PROGRESS; RATE_LIMITED, reason
 *   TOO_MANY_ATTEMPTS; reason HOOK_REJECTED by a hook of the operator
 */
export async function placeOrder(
  ctx: Ctx,
  owner: carts.Owner,
  input: PlaceInput,
  ways: WaysOf,
): Promise<Placed> {
  const reserved = await reservedOrKnown(ctx, owner, input);
  if ('isReplay' in reserved) return reserved;
  const { order, payment } = reserved;
  if (!payment) return { order: await orders.completePaid(ctx, order), payment: null, isReplay: false };
  const source = { processor: payment.processor, sourceId: input.sourceId };
  const settled = await payments.charge(ctx, payment, order, source, ways(order));
  return { order: settled.order, payment: settled.payment, isReplay: false };
}

/** How often a cart that changes under its own checkout is looked at again: the same form that was sent twice does that. */
const TRIES = 5;

/**
 * Reserves what the order needs, or finds the order that the same cart has become meanwhile. What is charged is checked
 * against what the shopper saw each time.
 */
async function reservedOrKnown(ctx: Ctx, owner: carts.Owner, input: PlaceInput): Promise<Reserved | Placed> {
  for (let tried = 0; tried < TRIES; tried++) {
    const replay = await replayOf(ctx, owner, input);
    if (replay) return replay;
    const seen = await orderable(ctx, owner, input);
    const isChanged = await changedByHooks(ctx, owner, seen, input.processor);
    const priced = isChanged ? await orderable(ctx, owner, input) : seen;
    const customerId = await buyer(ctx, priced.cart, input.consentText ?? null);
    const reserved = await payments.countingRefusals(ctx, () => reserve(ctx, priced, input, customerId));
    if (reserved) return reserved;
  }
  return changed();
}

/** The cart as it can be ordered now. @throws AppError VALIDATION_ERROR */
async function orderable(ctx: Ctx, owner: carts.Owner, input: PlaceInput): Promise<carts.CartPrice> {
  const priced = await carts.get(ctx, owner);
  requireNone(problemsOf(ctx, priced, input));
  requireSeen(priced, input);
  return priced;
}

function changed(): never {
  throw fail('VALIDATION_ERROR', 'Your cart has changed. Review it and order again', {
    details: { reason: 'CART_CHANGED' },
  });
}

const SPENT: readonly string[] = ['exhausted', 'per_customer_limit'];

/**
 * What is charged is what the shopper saw. Whoever does not say what they saw does not lose a code unnoticed, either.
 *
 * @throws AppError VALIDATION_ERROR, reason TOTAL_CHANGED or PROMOTION_EXHAUSTED
 */
function requireSeen({ price: { totals, refused } }: carts.CartPrice, input: PlaceInput): void {
  const { expectedTotalCents: total = totals.totalCents, expectedDueCents: due = totals.dueCents } = input;
  const isSame = total === totals.totalCents && due === totals.dueCents;
  const spent =
    input.expectedTotalCents === undefined &&
    refused.find(({ code, refusal }) => code !== null && SPENT.includes(refusal.reason));
  if (isSame && !spent) return;
  const message =
    isSame && spent
      ? `The code ${spent.code} has reached its usage limit. Remove it from the cart and order again`
      : 'The total has changed. Review it and order again';
  throw fail('VALIDATION_ERROR', message, {
    details: {
      reason: isSame ? 'PROMOTION_EXHAUSTED' : 'TOTAL_CHANGED',
      totals: {
        subtotal_cents: totals.subtotalCents,
        shipping_cents: totals.shippingCents,
        tax_cents: totals.taxCents,
        total_cents: totals.totalCents,
        amount_due_cents: totals.dueCents,
      },
    },
  });
}

/** The customer of a cart; a guest's row follows from the address. */
async function buyer(ctx: Ctx, cart: carts.Cart, consentText: string | null): Promise<string> {
  if (cart.customerId !== null) {
    if (cart.acceptsMarketing)
      await setMarketing(ctx, cart.customerId, {
        granted: true,
        source: 'checkout',
        text: consentText,
        locale: cart.locale,
      });
    return cart.customerId;
  }
  const { firstName = null, lastName = null } = cart.shippingAddress ?? cart.billingAddress ?? {};
  const { email, phone, locale, acceptsMarketing } = cart;
  const said = { email: email as string, firstName, lastName, phone, locale };
  const guest = await guestOf(ctx, { ...said, ...(acceptsMarketing && { acceptsMarketing }) }, consentText);
  return guest.id;
}

type Reserved = { order: orders.Order; payment: payments.Payment | null };

/**
 * Takes everything that the order needs, in one transaction. Where no processor has to be asked, it is placed in the same
 * one. @returns null when the cart has changed or was ordered meanwhile
 */
async function reserve(
  ctx: Ctx,
  priced: carts.CartPrice,
  input: PlaceInput,
  customerId: string,
): Promise<Reserved | null> {
  return ctx.tx(async (ctx) => {
    const cart = await carts.claimCart(ctx, priced.cart.id, priced.cart.version);
    if (!cart) return null;
    const { order, items, isNew } = await written(ctx, priced, input, customerId);
    await take(ctx, priced, order, items);
    if (isNew) await carts.updateCart(ctx, { ...cart, orderId: order.id });
    const due = priced.price.totals.dueCents;
    if (due === 0) return { order: await payments.place(ctx, order, 'accept'), payment: null };
    const processor = input.processor as string;
    if (processorOf(ctx, processor).kind === 'offline')
      return { order: await payments.place(ctx, order, 'place_unpaid'), payment: null };
    return payments.begin(ctx, await numbered(ctx, order), { processor, sourceId: input.sourceId }, due);
  });
}

const numbered = async (ctx: Ctx, order: orders.Order): Promise<orders.Order> =>
  order.orderNumber === null
    ? orders.write(ctx, order, { orderNumber: await orders.nextNumber(ctx) })
    : order;

/** The order of the cart: a new one, or the one that was not placed, made anew. */
async function written(ctx: Ctx, priced: carts.CartPrice, { processor }: PlaceInput, customerId: string) {
  const before = await orders.findByCart(ctx, priced.cart.id);
  const now = ctx.now();
  const facts = {
    customerId,
    email: priced.cart.email as string,
    processor: priced.price.totals.dueCents === 0 ? null : processor,
    dueAt: addSeconds(now, ctx.settings.get(orderPaymentWindowMinutes) * 60),
    risk: null,
  };
  if (before) {
    const held = (await orders.lockOrder(ctx, before.id)) as orders.Order;
    orders.requireAllowed(held, 'accept');
    await payments.giveBackHolds(ctx, held.id);
    const draft = draftOf(ctx, priced, {
      ...facts,
      id: held.id,
      orderNumber: held.orderNumber as string,
      createdAt: held.createdAt,
    });
    await orders.rebuild(ctx, { ...draft, order: { ...draft.order, version: held.version + 1 } });
    return { order: draft.order, items: draft.items, isNew: false };
  }
  const draft = draftOf(ctx, priced, {
    ...facts,
    id: ctx.newId(ids.order),
    // Taken last: whoever else orders waits for it until the transaction ends.
    orderNumber: null,
    createdAt: now,
  });
  await orders.insert(ctx, draft);
  return { order: draft.order, items: draft.items, isNew: true };
}

/** What is scarce, each by a conditional UPDATE, in the order in which everybody locks it (storefront-domain 8). */
async function take(
  ctx: Ctx,
  { lines, price, giftCards, met }: carts.CartPrice,
  order: orders.Order,
  items: readonly orders.OrderItem[],
): Promise<void> {
  const wanted = items.map(({ id, variantId, quantity }) => ({
    orderItemId: id,
    variantId: variantId as string,
    quantity,
  }));
  await inventory.reserve(ctx, order.id, wanted, order.dueAt as string);
  await markOrdered(
    ctx,
    lines.map(({ line }) => line.variantId),
  );
  const uses = carts.usesOf({ price, met });
  const { customerId, email } = order;
  if (uses.length > 0)
    await promotions.take(ctx, { orderId: order.id, customerId, emailNorm: emailNormed(email) }, uses);
  const shares = giftCards.flatMap(({ id, last4 }, at) => {
    const amountCents = price.giftCards[at] ?? 0;
    return amountCents > 0 ? [{ giftCardId: id, last4, amountCents }] : [];
  });
  await payments.holdCards(ctx, { orderId: order.id, currency: order.currency }, shares);
}
