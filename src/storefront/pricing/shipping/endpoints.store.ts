/** What of shipping is not plainly listed and changed, for staff (storefront-api.md, AH). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, integer, text } from '#kernel/http/fields.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { placeBody, placeOf } from '#storefront/contract/place-field.ts';
import { offers, parcelOf } from './offers.ts';
import { listRates, replaceRates } from './rates.ts';
import { METHOD_KINDS } from './record.ts';
import { MOST_RATES, RateInput } from './schemas.ts';
import { ShippingRateView, shippingRateView } from './view.ts';

const path = '/api/store/shipping/methods/{id}/rates';
const Params = z.object({ id: text({ min: 1, max: 255 }) });
const Answer = z.object({ data: z.array(ShippingRateView) });
const Rate = RateInput.shape;

// Unknown fields of a body are ignored (Z2).
const RatesBody = later(() =>
  z
    .object({
      rates: z
        .array(
          z.object({
            min: Rate.min,
            max: Rate.max,
            price_cents: Rate.priceCents,
            per_unit_cents: Rate.perUnitCents,
          }),
          { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') },
        )
        .max(MOST_RATES),
    })
    .meta({ id: 'ShippingRatesBody' }),
);

const Lines = z
  .array(z.object({ variant_id: text({ min: 1, max: 30 }), quantity: integer(1, 999) }), {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of lines'),
  })
  .min(1)
  .max(200);

const Quote = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      kind: z.enum(METHOD_KINDS),
      price_cents: count(),
      eta_min_days: count().nullable(),
      eta_max_days: count().nullable(),
    })
    .meta({ id: 'ShippingQuote' }),
);

export const shippingEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'List the rates of a shipping method',
    scope: 'settings:read',
    limit: null,
    params: Params,
    replies: { 200: Answer },
    errors: ['NOT_FOUND'],
    handle: async (ctx, { params }) => ok({ data: (await listRates(ctx, params.id)).map(shippingRateView) }),
  }),
  endpoint({
    method: 'put',
    path,
    summary: 'Replace the rates of a shipping method',
    scope: 'settings:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: RatesBody,
    replies: { 200: Answer },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => {
      const rates = body.rates.map(({ price_cents, per_unit_cents, min, max }) => ({
        min,
        max,
        priceCents: price_cents,
        perUnitCents: per_unit_cents,
      }));
      return ok({ data: (await replaceRates(ctx, params.id, { rates })).map(shippingRateView) });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/store/shipping/test',
    summary: 'Calculate the shipping cost of variants to an address',
    scope: 'settings:read',
    limit: null,
    rehearsable: true,
    body: later(() => z.object({ address: placeBody(), lines: Lines }).meta({ id: 'ShippingTestBody' })),
    replies: { 200: z.object({ data: z.array(Quote) }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const lines = body.lines.map(({ variant_id: variantId, quantity }) => ({ variantId, quantity }));
      const parcel = await parcelOf(ctx, lines, (id, at) =>
        invalidField(`lines.${at}.variant_id`, `variant ${id} does not exist`),
      );
      const found = await offers(ctx, placeOf(body.address), parcel);
      return ok({
        data: found.map(({ method, priceCents }) => ({
          id: method.id,
          name: method.name,
          kind: method.kind,
          price_cents: priceCents,
          eta_min_days: method.etaMinDays,
          eta_max_days: method.etaMaxDays,
        })),
      });
    },
  }),
];
