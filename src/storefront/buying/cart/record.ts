import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { type Address, StoredAddress } from '#storefront/contract/address.ts';
import type { Snapshot } from '#storefront/contract/extensions.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type GiftData, giftForNobody, StoredGift } from '#storefront/orders/orders/index.ts';

export const CART_STATUSES = ['active', 'converted', 'merged', 'expired'] as const;

/** Lines, units of a line, codes of promotions and gift cards that a cart takes (storefront-domain 7.5). */
export const MOST_LINES = 100;
export const MOST_UNITS = 999;
export const MOST_CODES = 5;
export const MOST_NOTE = 1000;

/** What the shopper saw last: it serves to say what has changed since, and decides no price. */
export interface Seen {
  /** By item. */
  readonly units: Readonly<Record<string, number>>;
  /** Promotions that lowered something, by id. */
  readonly promotions: Readonly<Record<string, { readonly name: string; readonly cents: number }>>;
}

export const NOTHING_SEEN: Seen = { units: {}, promotions: {} };

const SeenSchema: () => z.ZodType<Seen> = () =>
  z.object({
    units: z.record(z.string(), z.number()),
    promotions: z.record(z.string(), z.object({ name: z.string(), cents: z.number() })),
  });

const personalText = (max: number) =>
  column
    .text(max)
    .nullable()
    .personal(() => null);
const address = () =>
  column
    .json<Address>(StoredAddress)
    .nullable()
    .personal(() => null);

/** What somebody is about to buy. It holds no price of record (storefront-domain 4.4). */
export const cartRecord = record(
  'carts',
  {
    id: column.id(ids.cart),
    /** Whose browser it is, while nobody is signed in: nothing that opens a session follows from it. */
    sessionKey: column.text(64).nullable().local(),
    customerId: column.id(ids.customer).references('customers').nullable(),
    email: personalText(255),
    phone: personalText(50),
    locale: column.text(20).nullable(),
    status: column.choice(CART_STATUSES),
    currency: column.text(3, 3),
    shippingAddress: address(),
    billingAddress: address(),
    shippingMethodId: column.text(30).nullable(),
    acceptsMarketing: column.flag(),
    note: personalText(MOST_NOTE),
    giftMessage: personalText(MOST_NOTE),
    /** The order that was made of it. */
    orderId: column.text(30).nullable(),
    seen: column.json<Seen>(SeenSchema),
    lastActivityAt: column.time(),
    /** Rises with every change. */
    version: column.integer(1),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    whose: { ids: { customerId: 'customers', orderId: 'orders' }, email: 'email' },
    kept: 'until they expire: expire-carts removes them some time after the last change (cart_expiry_days)',
  },
);
export type Cart = ValuesOf<typeof cartRecord>;

/** A line of a cart. */
export const cartItemRecord = record(
  'cart_items',
  {
    id: column.id(ids.cartItem),
    cartId: column.id(ids.cart).references('carts'),
    variantId: column.id(ids.variant).references('product_variants'),
    quantity: column.integer(1, MOST_UNITS),
    giftCardData: column.json<GiftData>(StoredGift).nullable().personal(giftForNobody),
    /** What whoever delivers it has to know of this line: two lines of a variant differ in it. */
    fulfilment: column
      .json<Snapshot>(() => z.record(z.string(), z.unknown()))
      .nullable()
      .addedLater(),
    /** The same thing again raises the quantity of its line: two lines of a cart differ in it. */
    lineKey: column.text(64, 64).local(),
    position: column.integer(0),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { whose: { ids: { cartId: 'carts' } } },
);
export type CartItem = ValuesOf<typeof cartItemRecord>;

/** A code that was entered: of a promotion, or a gift card, of which nothing but its id is kept. */
export const cartCodeRecord = record(
  'cart_codes',
  {
    cartId: column.id(ids.cart).references('carts'),
    kind: column.choice(['promotion', 'gift_card']),
    /** Normalised; of a gift card its id. */
    codeNorm: column.text(100, 1),
    /** As it is shown: the code as it was entered, or the last characters of a gift card. */
    shown: column.text(100, 1),
    /** Id of what has the code: a promotion that was archived meanwhile has none any more. */
    refId: column.text(30, 1),
    position: column.integer(0),
    createdAt: column.time(),
  },
  { key: ['cartId', 'kind', 'codeNorm'] },
);
export type CartCode = ValuesOf<typeof cartCodeRecord>;
