/** A cart that is made up, for staff (storefront-api.md, Z). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { email, flag, integer, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { Simulation } from './schemas.ts';
import { simulate } from './simulate.ts';
import { SimulationView, simulationView } from './simulated-view.ts';

const { lines, codes } = Simulation.shape;
const Line = lines.element.shape;
const MOST_LINES = 100;

// Unknown fields of a body are ignored (Z2).
const Body = later(() =>
  z
    .object({
      lines: z
        .array(
          z.object({
            variant_id: Line.variantId,
            sku: Line.sku,
            quantity: Line.quantity,
            unit_cents: Line.unitCents,
          }),
          { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') },
        )
        .max(MOST_LINES),
      codes,
      customer_id: optional(text({ min: 1, max: 30, trim: true })),
      email: optional(email()),
      country: Simulation.shape.country,
      shipping_cents: optional(integer(0, 100_000_000_000)),
      mode: optional(oneOf(['none', 'best_wins', 'controlled'])),
      at: optional(timestamp()),
      with_drafts: optional(flag()),
    })
    .meta({ id: 'PromotionSimulationBody' }),
);

export const promotionEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/store/promotions/simulate',
    summary: "Price a test cart, and show which promotions apply and why others don't",
    scope: 'promotions:read',
    orScope: 'products:read',
    limit: null,
    body: Body,
    replies: { 200: z.object({ data: SimulationView }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => {
      const { customer_id, shipping_cents, with_drafts, lines: wanted, ...same } = body;
      const simulated = await simulate(ctx, {
        ...same,
        lines: wanted.map(({ variant_id, unit_cents, sku, quantity }) => ({
          variantId: variant_id,
          sku,
          quantity,
          unitCents: unit_cents,
        })),
        customerId: customer_id,
        shippingCents: shipping_cents,
        withDrafts: with_drafts,
      });
      return ok({ data: simulationView(simulated, ctx.settings.get(currencyCode)) });
    },
  }),
];
