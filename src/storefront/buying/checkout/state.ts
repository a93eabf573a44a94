import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { type Address, type AddressSent, addressOf } from '#storefront/contract/address.ts';
import * as carts from '../cart/index.ts';

/** What a checkout sends of the delivery; what is absent stays as it is. */
export interface DeliverySent {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly accepts_marketing?: boolean | undefined;
  readonly shipping_address?: AddressSent | undefined;
  readonly billing_address?: AddressSent | undefined;
  readonly same_as_shipping?: boolean | undefined;
  readonly shipping_method_id?: string | undefined;
  readonly note?: string | undefined;
}

/** How a checkout writes. */
export interface Writing {
  /** Language of the shopper, in which mails are written; null leaves what is known. */
  readonly locale?: string | null;
  /** The order is placed next: the same request may have placed it already, and no new cart begins. */
  readonly ordering?: boolean;
  /** The cart that is meant. */
  readonly cartId?: string | undefined;
}

/**
 * Writes what a checkout sends into the cart: nothing of it is lost when the order is refused. Of a cart that is not
 * shipped only the country of an address matters, where tax needs it.
 *
 * @throws AppError VALIDATION_ERROR with the fields of an address that are missing or wrong
 */
export async function writeDelivery(
  ctx: Ctx,
  owner: carts.Owner,
  sent: DeliverySent,
  { locale = null, ordering = false, cartId }: Writing = {},
): Promise<void> {
  const before = await carts.get(ctx, owner);
  const fields = fieldsOf(before, sent);
  const all = { ...fields, ...(locale !== null && { locale }) };
  const { cart } = before;
  const isNew = Object.entries(all).some(
    ([name, value]) => JSON.stringify(cart[name as keyof carts.Cart]) !== JSON.stringify(value),
  );
  if (!isNew) return;
  if (ordering) await carts.writeExisting(ctx, owner, all, cartId);
  else await carts.write(ctx, owner, all);
}

function fieldsOf({ needsShipping }: carts.CartPrice, sent: DeliverySent): carts.CartFields {
  const only = needsShipping ? 'all' : 'country';
  const shipping = read(sent.shipping_address, 'shipping_address', only);
  // Without an own one the billing address is the shipping address (storefront-settled Z15).
  const billing = sent.same_as_shipping
    ? null
    : read(sent.billing_address, 'billing_address', needsShipping ? 'all' : 'country');
  const { email, phone, accepts_marketing: acceptsMarketing, shipping_method_id: method, note } = sent;
  const found: { [K in keyof carts.CartFields]: carts.CartFields[K] | undefined } = {
    email,
    phone: phone === undefined ? undefined : phone || null,
    acceptsMarketing,
    shippingAddress: shipping,
    billingAddress: billing,
    shippingMethodId: method,
    note: note === undefined ? undefined : note || null,
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== undefined),
  ) as carts.CartFields;
}

const read = (sent: AddressSent | undefined, path: string, only: 'all' | 'country'): Address | undefined =>
  sent === undefined ? undefined : addressOf(sent, path, only);

/** Chooses how the order is shipped. @throws AppError VALIDATION_ERROR for a method that is not offered */
export async function chooseMethod(ctx: Ctx, owner: carts.Owner, methodId: string): Promise<carts.CartPrice> {
  const { offers } = await carts.get(ctx, owner);
  if (!offers.some(({ method }) => method.id === methodId))
    throw invalidField('method_id', 'is not offered for this address; choose one of the shipping methods');
  return (await carts.write(ctx, owner, { shippingMethodId: methodId })).cart;
}

/** What this version cannot do yet. @throws AppError VALIDATION_ERROR */
export function refuseSavedMethods(sent: {
  save_payment_method?: boolean | undefined;
  payment_method_id?: string | undefined;
}) {
  if (sent.save_payment_method)
    throw invalidField(
      'save_payment_method',
      'is not available yet: leave it out to pay without saving the card',
    );
  if (sent.payment_method_id !== undefined)
    throw fail('NOT_FOUND', `payment method ${sent.payment_method_id} does not exist`);
}
