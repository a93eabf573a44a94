/** Quantity breaks of a variant, for staff (storefront-api.md, S). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { PriceTierView, priceTierView } from '#storefront/catalog/products/view.ts';
import { listTiers, replaceTiers } from './prices.ts';
import { Tiers } from './schemas.ts';

const path = '/api/store/variants/{id}/price-tiers';
const Params = z.object({ id: text({ min: 1, max: 255 }) });
const Answer = z.object({ data: z.array(PriceTierView) });
const Tier = Tiers.shape.tiers.element.shape;

// Unknown fields of a body are ignored (Z2).
const TiersBody = later(() =>
  z
    .object({
      tiers: z
        .array(z.object({ min_quantity: Tier.minQuantity, unit_cents: Tier.unitCents }), {
          error: ({ input }) => (input === undefined ? 'is required' : 'must be a list'),
        })
        .max(50),
      price_list_id: Tiers.shape.priceListId,
    })
    .meta({ id: 'PriceTiersBody' }),
);

export const priceTierEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'List the quantity breaks of a variant',
    scope: 'products:read',
    limit: null,
    params: Params,
    query: z.object({ price_list_id: optional(text({ min: 1, max: 255 })) }),
    replies: { 200: Answer },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) =>
      ok({ data: (await listTiers(ctx, params.id, query.price_list_id)).map(priceTierView) }),
  }),
  endpoint({
    method: 'put',
    path,
    summary: 'Replace the quantity breaks of a variant',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: TiersBody,
    replies: { 200: Answer },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => {
      const tiers = body.tiers.map(({ min_quantity: minQuantity, unit_cents: unitCents }) => ({
        minQuantity,
        unitCents,
      }));
      const after = await replaceTiers(ctx, params.id, { tiers, priceListId: body.price_list_id });
      return ok({ data: after.map(priceTierView) });
    },
  }),
];
