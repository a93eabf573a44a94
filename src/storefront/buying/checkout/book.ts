import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { addressView } from '#storefront/contract/address.ts';
import { getAddress, rememberAddress } from '#storefront/people/addresses/index.ts';
import * as carts from '../cart/index.ts';
import type { DeliverySent } from './state.ts';

/**
 * What a checkout sends, with the address of the book that it names as the one to ship to.
 *
 * @throws AppError NOT_FOUND for an address of somebody else, and for guests, who have no book
 */
export async function withBook(
  ctx: Ctx,
  { customerId }: carts.Owner,
  { address_id: id, ...sent }: DeliverySent & { readonly address_id?: string | undefined },
): Promise<DeliverySent> {
  if (id === undefined) return sent;
  if (customerId === null) throw fail('NOT_FOUND', `address ${id} does not exist`);
  const shown = Object.entries(addressView(await getAddress(ctx, customerId, id)));
  return { ...sent, shipping_address: Object.fromEntries(shown.filter(([, value]) => value !== null)) };
}

/** Keeps the address that the cart is shipped to in the book of who is signed in. */
export async function keepInBook(ctx: Ctx, owner: carts.Owner): Promise<void> {
  const { needsShipping, cart } = await carts.get(ctx, owner);
  if (owner.customerId !== null && needsShipping && cart.shippingAddress)
    await rememberAddress(ctx, owner.customerId, cart.shippingAddress);
}
