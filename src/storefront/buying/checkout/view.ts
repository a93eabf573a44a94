import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { later } from '#kernel/sharing.ts';
import { AddressView, addressView } from '#storefront/contract/address.ts';
import { guestCheckoutEnabled } from '#storefront/contract/selling-settings.ts';
import { deliveredOf, whole } from '#storefront/orders/orders/index.ts';
import { OrderView, orderView } from '#storefront/orders/orders/view.ts';
import { PaymentView, paymentView } from '#storefront/orders/payments/view.ts';
import type { CartPrice } from '../cart/index.ts';
import { CartView, cartView } from '../cart/view.ts';
import { problemsOfCart } from './problems.ts';
import type { Placed } from './types.ts';

export const CheckoutView = later(() =>
  z
    .object({
      cart: CartView,
      email: z.string().nullable(),
      phone: z.string().nullable(),
      accepts_marketing: z.boolean(),
      shipping_address: AddressView.nullable(),
      billing_address: AddressView.nullable().describe('null: the shipping address'),
      shipping_method: z.string().nullable(),
      missing: z.array(z.object({ field: z.string(), message: z.string() })),
      requires_shipping: z.boolean(),
      guest_allowed: z.boolean(),
    })
    .meta({ id: 'CheckoutState' }),
);

export async function checkoutView(ctx: Ctx, priced: CartPrice): Promise<z.output<typeof CheckoutView>> {
  const { cart, method, needsShipping } = priced;
  return {
    cart: await cartView(ctx, priced),
    email: cart.email,
    phone: cart.phone,
    accepts_marketing: cart.acceptsMarketing,
    shipping_address: cart.shippingAddress && addressView(cart.shippingAddress),
    billing_address: cart.billingAddress && addressView(cart.billingAddress),
    shipping_method: method?.method.id ?? null,
    missing: problemsOfCart(ctx, priced).map(({ field, message }) => ({ field, message })),
    requires_shipping: needsShipping,
    guest_allowed: ctx.settings.get(guestCheckoutEnabled),
  };
}

export const PlacedView = later(() =>
  z.object({ order: OrderView, payment: PaymentView.nullable() }).meta({ id: 'PlacedOrder' }),
);

export const placedView = async (
  ctx: Ctx,
  { order, payment }: Placed,
): Promise<z.output<typeof PlacedView>> => ({
  order: orderView(await whole(ctx, order), await deliveredOf(ctx, order)),
  payment: payment && paymentView(payment),
});
