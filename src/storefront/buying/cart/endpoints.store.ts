/** The cart of whoever asks, by the session of the browser (storefront-api.md, E). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count } from '#kernel/http/fields.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { addressOf, placeIn } from '#storefront/contract/address.ts';
import { limits } from '#storefront/contract/limits.ts';
import type { GiftData } from '#storefront/orders/orders/index.ts';
import { refusalWords } from '#storefront/pricing/promotions/index.ts';
import * as carts from './cart.ts';
import { enterCode, removeCode } from './codes.ts';
import { estimate } from './estimate.ts';
import { giftCardEndpoints } from './gift-card-endpoints.ts';
import { markSession, ownerOf } from './owner.ts';
import type { CartPrice } from './price.ts';
import {
  AddBody,
  type AddInput,
  CodeBody,
  EstimateBody,
  NoteBody,
  RemoveBody,
  UpdateBody,
} from './schemas.ts';
import { CartView, cartView, methodView, ShippingMethodView } from './view.ts';

const PREFIX = '/api/store/cart';
const Answer = { 200: z.object({ data: CartView }) };

/** What all of them have in common: anybody's session opens them. */
const shopper = { scope: null, session: 'token', limit: null, errors: ['VALIDATION_ERROR'] } as const;

const answer = async (ctx: Ctx, cart: CartPrice) => ok({ data: await cartView(ctx, cart) });

/** Answers with the cart after a change, which belongs to a session from then on. */
async function changed(ctx: Ctx, visitor: Visitor | null, { cart }: { readonly cart: CartPrice }) {
  markSession(ctx, visitor);
  return answer(ctx, cart);
}

export const giftCardOf = (sent: AddInput['gift_card']): GiftData | null =>
  sent === undefined
    ? null
    : {
        amountCents: sent.amount_cents,
        recipientEmail: sent.recipient_email || null,
        recipientName: sent.recipient_name || null,
        senderName: sent.sender_name || null,
        message: sent.message || null,
        sendAt: sent.send_at ?? null,
      };

const lines: readonly Endpoint[] = [
  endpoint({
    ...shopper,
    method: 'get',
    path: PREFIX,
    summary: 'Show the cart with current prices',
    replies: Answer,
    handle: async (ctx, { visitor }) => answer(ctx, await carts.get(ctx, ownerOf(visitor))),
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/add`,
    summary: 'Add a variant to the cart',
    description:
      'Adding the same item again raises its quantity. A quantity above the stock is lowered, and added.capped is true.',
    limit: limits.cartAdd,
    body: AddBody,
    replies: {
      200: later(() =>
        z.object({
          data: CartView.extend({
            added: z.object({ item_id: z.string(), quantity: count(), capped: z.boolean() }),
          }),
        }),
      ),
    },
    handle: async (ctx, { body, visitor }) => {
      const { cart, result } = await carts.add(ctx, ownerOf(visitor), {
        variantId: body.variant_id,
        quantity: body.quantity ?? 1,
        giftCard: giftCardOf(body.gift_card),
      });
      markSession(ctx, visitor);
      const added = { item_id: result.itemId, quantity: result.quantity, capped: result.capped };
      return ok({ data: { ...(await cartView(ctx, cart)), added } });
    },
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/update`,
    summary: 'Change the quantity of an item in the cart',
    body: UpdateBody,
    replies: Answer,
    handle: async (ctx, { body, visitor }) =>
      changed(ctx, visitor, await carts.setQuantity(ctx, ownerOf(visitor), body, body.quantity)),
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/remove`,
    summary: 'Remove an item from the cart',
    body: RemoveBody,
    replies: Answer,
    handle: async (ctx, { body, visitor }) =>
      changed(ctx, visitor, await carts.remove(ctx, ownerOf(visitor), body)),
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/clear`,
    summary: 'Empty the cart',
    replies: Answer,
    handle: async (ctx, { visitor }) => changed(ctx, visitor, await carts.clear(ctx, ownerOf(visitor))),
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/accept-changes`,
    summary: 'Accept the changes since the cart was last shown',
    replies: Answer,
    handle: async (ctx, { visitor }) =>
      changed(ctx, visitor, await carts.acceptChanges(ctx, ownerOf(visitor))),
  }),
];

const codes: readonly Endpoint[] = [
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/coupon`,
    summary: 'Add a promotion code to the cart',
    limit: limits.cartCode,
    body: CodeBody,
    replies: {
      200: later(() =>
        z.object({
          data: CartView.extend({
            code_result: z.object({
              code: z.string(),
              outcome: z.enum(['applied', 'not_best', 'not_combinable', 'not_applicable']),
              reason: z.string().nullable(),
              message: z.string().nullable(),
            }),
          }),
        }),
      ),
    },
    handle: async (ctx, { body, visitor }) => {
      const { cart, result } = await enterCode(ctx, ownerOf(visitor), body.code);
      markSession(ctx, visitor);
      const { code, outcome, refusal } = result;
      const message = refusal && refusalWords(refusal, cart.cart.currency);
      const code_result = { code, outcome, reason: refusal?.reason ?? null, message };
      return ok({ data: { ...(await cartView(ctx, cart)), code_result } });
    },
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/coupon/remove`,
    summary: 'Remove a promotion code from the cart',
    body: CodeBody,
    replies: Answer,
    handle: async (ctx, { body, visitor }) =>
      changed(ctx, visitor, await removeCode(ctx, ownerOf(visitor), body.code)),
  }),
];

const others: readonly Endpoint[] = [
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/note`,
    summary: 'Set the note or the gift message of the cart',
    body: NoteBody,
    replies: Answer,
    handle: async (ctx, { body, visitor }) =>
      changed(
        ctx,
        visitor,
        await carts.write(ctx, ownerOf(visitor), {
          ...(body.note !== undefined && { note: body.note || null }),
          ...(body.gift_message !== undefined && { giftMessage: body.gift_message || null }),
        }),
      ),
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/estimate`,
    summary: 'Estimate shipping and tax for a place, without an address',
    body: EstimateBody,
    replies: {
      200: z.object({
        data: z.object({
          shipping_methods: z.array(ShippingMethodView),
          tax_total_cents: count(),
          total_cents: count(),
        }),
      }),
    },
    handle: async (ctx, { body, visitor }) => {
      const place = placeIn(addressOf(body, 'place', 'country'));
      const { offers, taxCents, totalCents } = await estimate(ctx, ownerOf(visitor), place);
      return ok({
        data: {
          shipping_methods: offers.map(methodView),
          tax_total_cents: taxCents,
          total_cents: totalCents,
        },
      });
    },
  }),
];

export const cartEndpoints: readonly Endpoint[] = [...lines, ...codes, ...giftCardEndpoints, ...others];
