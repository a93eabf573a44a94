/** Gift cards that pay for a cart (storefront-api.md, E). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { limits } from '#storefront/contract/limits.ts';
import { attachGiftCard, detachGiftCard } from './codes.ts';
import { markSession, ownerOf } from './owner.ts';
import { CodeBody, GiftCardRemoveBody } from './schemas.ts';
import { CartView, cartView } from './view.ts';

const PREFIX = '/api/store/cart/gift-card';
const shopper = { scope: null, session: 'token', limit: null, errors: ['VALIDATION_ERROR'] } as const;

export const giftCardEndpoints: readonly Endpoint[] = [
  endpoint({
    ...shopper,
    method: 'post',
    path: PREFIX,
    summary: 'Add a gift card to the cart',
    limit: limits.cartCode,
    body: CodeBody,
    replies: {
      200: later(() =>
        z.object({
          data: CartView.extend({
            gift_card: z.object({ last4: z.string(), balance_cents: count(), will_use_cents: count() }),
          }),
        }),
      ),
    },
    handle: async (ctx, { body, visitor }) => {
      const { cart, result } = await attachGiftCard(ctx, ownerOf(visitor), body.code);
      markSession(ctx, visitor);
      const shown = await cartView(ctx, cart);
      const used = shown.gift_cards.find(({ id }) => id === result.id)?.will_use_cents ?? 0;
      const gift_card = { last4: result.last4, balance_cents: result.balanceCents, will_use_cents: used };
      return ok({ data: { ...shown, gift_card } });
    },
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/remove`,
    summary: 'Remove a gift card from the cart',
    body: GiftCardRemoveBody,
    replies: { 200: z.object({ data: CartView }) },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body, visitor }) => {
      const { cart } = await detachGiftCard(ctx, ownerOf(visitor), body.gift_card_id);
      return ok({ data: await cartView(ctx, cart) });
    },
  }),
];
