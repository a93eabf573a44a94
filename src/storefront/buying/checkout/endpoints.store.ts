/** From a cart to an order (storefront-api.md, F). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { addressOf, placeIn } from '#storefront/contract/address.ts';
import { activeProcessors } from '#storefront/orders/processors/index.ts';
import * as carts from '../cart/index.ts';
import { methodView, ShippingMethodView } from '../cart/view.ts';
import { keepInBook, withBook } from './book.ts';
import { payingEndpoints } from './paying-endpoints.ts';
import { problemsOf } from './problems.ts';
import { AddressesBody, ContactBody, MethodBody, ValidateBody } from './schemas.ts';
import { chooseMethod, writeDelivery } from './state.ts';
import { CheckoutView, checkoutView } from './view.ts';

const PREFIX = '/api/store/checkout';
const shopper = { scope: null, session: 'token', limit: null, errors: ['VALIDATION_ERROR'] } as const;
const State = { 200: z.object({ data: CheckoutView }) };

const state = async (ctx: Ctx, owner: carts.Owner) =>
  ok({ data: await checkoutView(ctx, await carts.get(ctx, owner)) });

const steps: readonly Endpoint[] = [
  endpoint({
    ...shopper,
    method: 'get',
    path: PREFIX,
    summary: 'Show the progress of the checkout and what is missing',
    replies: State,
    handle: (ctx, { visitor }) => state(ctx, carts.ownerOf(visitor)),
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/contact`,
    summary: 'Set the email address and the phone number of the order',
    body: ContactBody,
    replies: State,
    handle: async (ctx, { body, visitor }) => {
      const owner = carts.ownerOf(visitor);
      await writeDelivery(ctx, owner, body);
      carts.markSession(ctx, visitor);
      return state(ctx, owner);
    },
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/addresses`,
    summary: 'Set the addresses of the order',
    body: AddressesBody,
    replies: State,
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body, visitor }) => {
      const owner = carts.ownerOf(visitor);
      const { save, ...sent } = body;
      await writeDelivery(ctx, owner, await withBook(ctx, owner, sent));
      if (save) await keepInBook(ctx, owner);
      carts.markSession(ctx, visitor);
      return state(ctx, owner);
    },
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/shipping-method`,
    summary: 'Choose how the order is shipped',
    body: MethodBody,
    replies: State,
    handle: async (ctx, { body, visitor }) => {
      const priced = await chooseMethod(ctx, carts.ownerOf(visitor), body.method_id);
      return ok({ data: await checkoutView(ctx, priced) });
    },
  }),
];

const choices: readonly Endpoint[] = [
  endpoint({
    ...shopper,
    method: 'get',
    path: `${PREFIX}/shipping-methods`,
    summary: 'List the shipping methods for the address of the order, or for another place',
    query: later(() =>
      z.object({
        country: text({ max: 2 }).optional(),
        state: text({ max: 100 }).optional(),
        postal_code: text({ max: 20 }).optional(),
      }),
    ),
    replies: {
      200: later(() =>
        z.object({
          data: z.array(
            ShippingMethodView.extend({
              price_before_discount_cents: count(),
              tax_cents: count(),
              selected: z.boolean(),
            }),
          ),
        }),
      ),
    },
    handle: async (ctx, { query, visitor }) => {
      const { cart, offers, method } = await carts.get(ctx, carts.ownerOf(visitor));
      const asked = query.country === undefined ? null : placeIn(addressOf(query, 'query', 'country'));
      const place = asked ?? (cart.shippingAddress && placeIn(cart.shippingAddress));
      const offered = asked
        ? (await carts.priceCart(ctx, cart, { place: asked, methodId: null })).offers
        : offers;
      const data = [];
      for (const offer of offered) {
        const { price } = await carts.priceCart(ctx, cart, place && { place, methodId: offer.method.id });
        data.push({
          ...methodView(offer),
          price_cents: price.shipping.priceCents - price.shipping.discountCents,
          price_before_discount_cents: price.shipping.priceCents,
          tax_cents: price.shipping.taxCents,
          selected: offer.method.id === method?.method.id,
        });
      }
      return ok({ data });
    },
  }),
  endpoint({
    ...shopper,
    method: 'get',
    path: `${PREFIX}/payment-methods`,
    summary: 'List the payment methods, with what the browser needs for each',
    replies: {
      200: later(() =>
        z.object({
          data: z.object({
            processors: z.array(
              z.object({
                id: z.string(),
                display_name: z.string(),
                kind: z.enum(['card', 'wallet', 'offline']),
                client_config: z.record(z.string(), z.string()),
              }),
            ),
            saved: z.array(z.never()),
            on_account: z.object({ allowed: z.literal(false), credit_left_cents: count() }),
          }),
        }),
      ),
    },
    handle: async (ctx) =>
      ok({
        data: {
          processors: activeProcessors(ctx).map((one) => {
            const { config, scriptUrl } = one.client(ctx);
            return {
              id: one.id,
              display_name: one.displayName,
              kind: one.kind,
              // With which a client of its own makes a source of a card: the processor's script, and public keys.
              client_config: { ...config, ...(scriptUrl !== null && { script_url: scriptUrl }) },
            };
          }),
          saved: [],
          on_account: { allowed: false as const, credit_left_cents: 0 },
        },
      }),
  }),
  endpoint({
    ...shopper,
    method: 'post',
    path: `${PREFIX}/validate`,
    summary: 'Check whether the order can be placed, without placing it',
    body: ValidateBody,
    replies: {
      200: later(() =>
        z.object({
          data: z.object({
            ok: z.boolean(),
            totals: z.object({ total_cents: count(), tax_cents: count(), amount_due_cents: count() }),
            changes: CheckoutView.shape.cart.shape.changes,
            problems: z.array(
              z.object({ field: z.string(), reason: z.string().nullable(), message: z.string() }),
            ),
          }),
        }),
      ),
    },
    handle: async (ctx, { body, visitor }) => {
      const owner = carts.ownerOf(visitor);
      await writeDelivery(ctx, owner, body);
      carts.markSession(ctx, visitor);
      const priced = await carts.get(ctx, owner);
      const asked = { processor: body.processor ?? null, termsAccepted: body.terms_accepted ?? false };
      const problems = problemsOf(ctx, priced, asked).map(({ field, reason, message }) => ({
        field,
        reason,
        message,
      }));
      const { cart } = await checkoutView(ctx, priced);
      const {
        totalCents: total_cents,
        taxCents: tax_cents,
        dueCents: amount_due_cents,
      } = priced.price.totals;
      return ok({
        data: {
          ok: problems.length === 0,
          totals: { total_cents, tax_cents, amount_due_cents },
          changes: cart.changes,
          problems,
        },
      });
    },
  }),
];

export const checkoutEndpoints: readonly Endpoint[] = [...steps, ...choices, ...payingEndpoints];
