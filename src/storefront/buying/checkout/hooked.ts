import type { Ctx } from '#kernel/context.ts';
import type { Allowed, Payload } from '#kernel/hooks/point.ts';
import { text } from '#kernel/http/fields.ts';
import { AddressBody, type AddressSent, addressView, faultsOf } from '#storefront/contract/address.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import type * as carts from '../cart/index.ts';
import { phone } from './schemas.ts';
import { type DeliverySent, writeDelivery } from './state.ts';

/** Where an order comes from, and how it is to be paid. */
export interface Origin {
  readonly source: 'web' | 'admin' | 'api';
  readonly processor: string | null;
}

/** What a hook changed of an order before it is made; what is absent stays as it is. */
export interface OrderChanges {
  readonly email?: string;
  readonly phone?: string | null;
  readonly note?: string | null;
  readonly shipping_address?: AddressSent;
  /** null: the shipping address. */
  readonly billing_address?: AddressSent | null;
  readonly shipping_method_id?: string;
}

/**
 * Asks the operator's hooks before anything is taken for an order (storefront-domain 19).
 *
 * @param subject what a repeated transaction knows the order by
 * @returns null when they changed nothing
 * @throws AppError VALIDATION_ERROR, reason HOOK_REJECTED; HookFailed
 */
export const beforeCreate = async (
  ctx: Ctx,
  subject: string,
  priced: carts.CartPrice,
  origin: Origin,
): Promise<OrderChanges | null> =>
  ctx.before(
    'order.create',
    subject,
    () => payloadOf(priced, origin),
    () => allowedFor(priced, origin),
  );

/**
 * As `beforeCreate`, of a cart: what hooks changed stands in it as if the shopper had sent it.
 *
 * @returns whether it has to be priced again
 */
export async function changedByHooks(
  ctx: Ctx,
  owner: carts.Owner,
  priced: carts.CartPrice,
  processor: string | null,
): Promise<boolean> {
  const { cart } = priced;
  const changes = await beforeCreate(ctx, cart.id, priced, { source: 'web', processor });
  if (!changes) return false;
  await writeDelivery(ctx, owner, deliveryOf(changes), { ordering: true, cartId: cart.id });
  return true;
}

function deliveryOf({ phone, note, billing_address: billing, ...same }: OrderChanges): DeliverySent {
  return {
    ...same,
    ...(phone !== undefined && { phone: phone ?? '' }),
    ...(note !== undefined && { note: note ?? '' }),
    ...(billing && { billing_address: billing }),
    ...(billing === null && { same_as_shipping: true }),
  };
}

function payloadOf({ cart, lines, price, method, codes }: carts.CartPrice, origin: Origin): Payload {
  const { totals } = price;
  return {
    ...origin,
    customer_id: cart.customerId,
    email: cart.email,
    phone: cart.phone,
    locale: cart.locale,
    currency: cart.currency,
    note: cart.note,
    shipping_address: cart.shippingAddress && addressView(cart.shippingAddress),
    billing_address: cart.billingAddress && addressView(cart.billingAddress),
    shipping_method_id: method?.method.id ?? cart.shippingMethodId,
    codes: codes.filter(({ kind }) => kind === 'promotion').map(({ shown }) => shown),
    items: lines.map(({ line, unitCents, price }) => ({
      variant_id: line.variantId,
      product_id: line.productId,
      sku: line.sku,
      title: line.productTitle,
      type: line.type,
      quantity: line.quantity,
      unit_cents: unitCents,
      total_cents: price.totalCents,
    })),
    totals: {
      subtotal_cents: totals.subtotalCents,
      discount_cents: totals.itemDiscountCents + totals.orderDiscountCents,
      shipping_cents: totals.shippingCents,
      tax_cents: totals.taxCents,
      total_cents: totals.totalCents,
      due_cents: totals.dueCents,
    },
  };
}

function allowedFor({ needsShipping }: carts.CartPrice, { source }: Origin): Allowed {
  const address = addressField(needsShipping ? 'all' : 'country');
  return {
    computed: ['totals'],
    changes: {
      email: shopperEmail(),
      phone: phone().nullable(),
      note: text({ max: 1000, trim: true }).nullable(),
      shipping_address: address,
      billing_address: address.nullable(),
      // What shipping costs in an order of staff is theirs to say.
      ...(source === 'web' && { shipping_method_id: text({ min: 1, max: 30 }) }),
    },
  };
}

/** A whole address, as the payload shows it: what is unknown is null. */
const addressField = (only: 'all' | 'country') =>
  AddressBody.superRefine((sent, check) => {
    for (const { field, message } of faultsOf(sent, only))
      check.addIssue({ code: 'custom', path: [field], message });
  });
