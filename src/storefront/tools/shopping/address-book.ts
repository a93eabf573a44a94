import type { Ctx } from '#kernel/context.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { addressLines, fullName } from '#storefront/contract/address.ts';
import { addressesOf, rememberAddress } from '#storefront/people/addresses/index.ts';
import { find } from '#storefront/people/customers/index.ts';
import { deliveryValues } from './delivery-form.ts';

/** What a checkout knows of a customer who signed in. */
export interface KnownCustomer {
  readonly acceptsMarketing: boolean;
  /** What fills the form before the customer does. */
  readonly values: Readonly<Record<string, string>>;
  readonly choices: readonly { readonly id: string; readonly words: string; readonly isChosen: boolean }[];
}

/** Address and email of who is signed in, from the book; null for guests. @param wanted id of an address of the book */
export async function knownCustomer(
  ctx: Ctx,
  visitor: Visitor,
  priced: carts.CartPrice,
  { wanted, lang }: { readonly wanted: string | undefined; readonly lang: string },
): Promise<KnownCustomer | null> {
  const { customerId } = carts.ownerOf(visitor);
  if (customerId === null) return null;
  const [customer, book] = [await find(ctx, customerId), await addressesOf(ctx, customerId)];
  const { cart, needsShipping } = priced;
  const isBlank = cart.shippingAddress === null && cart.billingAddress === null;
  // The defaults stand first in the book.
  const first = isBlank && needsShipping ? book[0] : undefined;
  const chosen = book.find(({ id }) => id === wanted) ?? first;
  const billed = isBlank ? book.find(({ isDefaultBilling }) => isDefaultBilling) : undefined;
  const filled = deliveryValues(
    {
      ...priced,
      cart: {
        ...cart,
        email: cart.email ?? customer?.email ?? null,
        // Of what is not shipped only the country matters, which the form has in place of an address.
        ...(!needsShipping && billed && { shippingAddress: billed }),
        ...(chosen && { shippingAddress: chosen }),
        ...(needsShipping && billed && billed.id !== chosen?.id && { billingAddress: billed }),
      },
    },
    '',
  );
  const name =
    filled.name || fullName({ firstName: customer?.firstName ?? '', lastName: customer?.lastName ?? '' });
  const values = chosen || filled.country !== '' ? { ...filled, name } : { email: filled.email ?? '', name };
  const choices = needsShipping
    ? book.map((one) => ({
        id: one.id,
        words: one.label ?? addressLines(one, lang).join(', '),
        isChosen: one.id === chosen?.id,
      }))
    : [];
  return { acceptsMarketing: customer?.acceptsMarketing ?? false, values, choices };
}

/** Keeps the address of an order that a customer has placed, where they asked for that. */
export async function keepAddress(
  ctx: Ctx,
  { customerId }: carts.Owner,
  { needsShipping, cart }: carts.CartPrice,
): Promise<void> {
  if (customerId !== null && needsShipping && cart.shippingAddress)
    await rememberAddress(ctx, customerId, cart.shippingAddress);
}
