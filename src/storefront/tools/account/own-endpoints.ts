/** What customers keep and change of themselves (storefront-api.md, C, G and L). */

import { z } from 'zod';
import { bytesContent } from '#kernel/http/content.ts';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, instant, queryInteger, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { itemsOf } from '#storefront/orders/orders/index.ts';
import { orderOf } from '#storefront/orders/shopper-orders/index.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { exportCustomer, unsubscribe } from '#storefront/people/privacy/index.ts';
import { claim, type GiftCard, ownedBy } from '#storefront/pricing/gift-cards/index.ts';
import { changePreferences, changeProfile, deleteAccount, profileOf } from './own-account.ts';
import { DeleteBody, PreferencesBody, PreferencesView, ProfileBody, ProfileView } from './own-schemas.ts';
import { TokenBody } from './schemas.ts';

const ACCOUNT = '/api/shop/account';
const AccountDeleted = later(() =>
  z.object({ deleted: z.literal(true), open_orders: count(), open_returns: count() }),
);
const own = { customer: true, scope: null, limit: null } as const;

const account: readonly Endpoint[] = [
  endpoint({
    ...own,
    method: 'get',
    path: ACCOUNT,
    summary: 'Show the signed-in customer',
    replies: { 200: z.object({ data: ProfileView }) },
    errors: [],
    handle: async (ctx) => ok({ data: await profileOf(ctx, customerIdOf(ctx)) }),
  }),
  endpoint({
    ...own,
    method: 'patch',
    path: ACCOUNT,
    summary: 'Change the profile of the customer',
    body: ProfileBody,
    replies: { 200: z.object({ data: ProfileView }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => ok({ data: await changeProfile(ctx, customerIdOf(ctx), body) }),
  }),
  endpoint({
    ...own,
    method: 'patch',
    path: `${ACCOUNT}/preferences`,
    summary: 'Choose which emails to get in addition to order emails',
    description: 'Each change of `accepts_marketing` is recorded as proof, with time and IP address.',
    body: PreferencesBody,
    replies: { 200: z.object({ data: PreferencesView }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => ok({ data: await changePreferences(ctx, customerIdOf(ctx), body) }),
  }),
  endpoint({
    ...own,
    method: 'get',
    path: `${ACCOUNT}/export`,
    summary: 'Download everything that the shop stores about the customer, as JSON',
    limit: limits.customerExport,
    content: { type: 'application/json', headers: { 'Content-Disposition': 'The name of the file' } },
    replies: {},
    errors: [],
    async handle(ctx) {
      const id = customerIdOf(ctx);
      const bytes = Buffer.from(JSON.stringify(await exportCustomer(ctx, id), null, 2));
      const headers = {
        'Cache-Control': 'no-store',
        'Content-Disposition': 'attachment; filename="my-data.json"',
      };
      return download(bytesContent('application/json', bytes, { etag: `"${id}-${bytes.length}"`, headers }));
    },
  }),
  endpoint({
    ...own,
    method: 'delete',
    path: ACCOUNT,
    summary: 'Delete the account; orders stay without name and address',
    limit: limits.customerProof,
    body: DeleteBody,
    description:
      'Possible with open orders and returns: the data they need is removed once they have ended. The answer counts them.',
    replies: { 200: z.object({ data: AccountDeleted }) },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body, visitor }) {
      const { openOrders, openReturns } = await deleteAccount(ctx, customerIdOf(ctx), body);
      await visitor?.session.signOut();
      return ok({ data: { deleted: true as const, open_orders: openOrders, open_returns: openReturns } });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/shop/unsubscribe',
    summary: 'Unsubscribe from offers with the token in the email',
    scope: null,
    limit: limits.unsubscribe,
    body: TokenBody,
    replies: { 200: z.object({ data: z.object({ unsubscribed: z.literal(true) }) }) },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body }) {
      await unsubscribe(ctx, body.token);
      return ok({ data: { unsubscribed: true as const } });
    },
  }),
];

const Goods = z.array(z.object({ title: z.string(), quantity: count() }));

const reorder = endpoint({
  ...own,
  method: 'post',
  path: '/api/shop/orders/{order_number}/reorder',
  summary: 'Add the items of an order to the cart again',
  limit: limits.cartAdd,
  params: z.object({ order_number: text({ min: 1, max: 40 }) }),
  replies: {
    200: z.object({ data: z.object({ added: Goods, missing: Goods, cart_count: count() }) }),
  },
  errors: ['NOT_FOUND'],
  async handle(ctx, { params, visitor }) {
    const order = await orderOf(ctx, customerIdOf(ctx), params.order_number);
    const owner = carts.ownerOf(visitor);
    const { added, missing } = await carts.putAgain(ctx, owner, await itemsOf(ctx, order.id));
    return ok({
      data: { added: [...added], missing: [...missing], cart_count: await carts.countUnits(ctx, owner) },
    });
  },
});

const OwnGiftCard = later(() =>
  z
    .object({
      id: z.string(),
      last4: z.string(),
      status: z.string(),
      is_owned: z.boolean().describe('false: bought for someone else, so the balance is not shown'),
      initial_cents: count(),
      balance_cents: count().nullable(),
      currency: z.string(),
      expires_at: instant().nullable(),
      created_at: instant(),
    })
    .meta({ id: 'OwnGiftCard' }),
);

export const ownGiftCard = (card: GiftCard, customerId: string): z.output<typeof OwnGiftCard> => {
  const isOwned = card.ownerCustomerId === customerId;
  return {
    id: card.id,
    last4: card.last4,
    status: card.status,
    is_owned: isOwned,
    initial_cents: card.initialCents,
    balance_cents: isOwned ? card.balanceCents : null,
    currency: card.currency,
    expires_at: card.expiresAt,
    created_at: card.createdAt,
  };
};

const giftCards = { ...own, enabledBy: featureSettings.gift_cards_enabled } as const;
const cards: readonly Endpoint[] = [
  endpoint({
    ...giftCards,
    method: 'get',
    path: '/api/shop/gift-cards',
    summary: 'List gift cards that the customer has attached to the account or has bought',
    query: later(() =>
      z.object({
        page: queryInteger({ min: 1, max: 1_000_000, fallback: 1 }),
        per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
      }),
    ),
    replies: { 200: z.object({ data: z.array(OwnGiftCard), pagination: ShopPagination }) },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { query: { page, per_page: perPage } }) {
      const id = customerIdOf(ctx);
      const { cards, total } = await ownedBy(ctx, id, page, perPage);
      const data = cards.map((card) => ownGiftCard(card, id));
      return ok({ data, pagination: shopPagination(page, perPage, total) });
    },
  }),
  endpoint({
    ...giftCards,
    method: 'post',
    path: '/api/shop/gift-cards/claim',
    summary: 'Attach a gift card to the account by its code',
    limit: limits.giftCardClaim,
    body: z.object({ code: text({ min: 1, max: 100 }) }).meta({ id: 'ClaimGiftCardBody' }),
    replies: { 200: z.object({ data: OwnGiftCard }) },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { body: { code } }) {
      const id = customerIdOf(ctx);
      return ok({ data: ownGiftCard(await claim(ctx, id, code), id) });
    },
  }),
];

export const ownEndpoints: readonly Endpoint[] = [...account, reorder, ...cards];
