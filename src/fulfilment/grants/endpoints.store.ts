/** Licenses that variants are sold with, for staff (storefront-api.md, S and AO). */

import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { getGrant, removeGrant, setGrant } from './grants.ts';
import { GrantInput } from './schemas.ts';
import { stateOf } from './state.ts';
import { LicenseGrantView, licenseGrantView, PickableView, pickableView } from './view.ts';

const path = '/api/store/variants/{id}/license-grant';
const Params = z.object({ id: text({ min: 1, max: 255 }) });
const MOST_PICKED = 100;

// Unknown fields of a body are ignored (Z2).
const GrantBody = later(() => {
  const { shape } = GrantInput;
  return z
    .object({
      license_product_id: shape.licenseProductId.describe('Id or slug'),
      policy_id: shape.policyId.describe('Id or name'),
      type: shape.type,
      tier: shape.tier,
      duration_days: shape.durationDays,
      max_activations: shape.maxActivations,
      max_uses: shape.maxUses,
      max_version: shape.maxVersion,
      features: shape.features,
      quantity_mode: shape.quantityMode,
      on_refund: shape.onRefund,
      on_subscription_end: shape.onSubscriptionEnd,
    })
    .meta({ id: 'LicenseGrantBody' });
});

const inputOf = (body: z.output<typeof GrantBody>) => ({
  licenseProductId: body.license_product_id,
  policyId: body.policy_id,
  type: body.type,
  tier: body.tier,
  durationDays: body.duration_days,
  maxActivations: body.max_activations,
  maxUses: body.max_uses,
  maxVersion: body.max_version,
  features: body.features,
  quantityMode: body.quantity_mode,
  onRefund: body.on_refund,
  onSubscriptionEnd: body.on_subscription_end,
});

export const licenseGrantEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'Show the license that a variant is sold with; null for none',
    scope: 'products:read',
    limit: null,
    params: Params,
    replies: () => ({ 200: z.object({ data: LicenseGrantView.nullable() }) }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params }) {
      const grant = await getGrant(ctx, params.id);
      return ok({ data: grant && licenseGrantView(await stateOf(ctx, grant)) });
    },
  }),
  endpoint({
    method: 'put',
    path,
    summary: 'Set the license that a variant is sold with',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    body: () => GrantBody,
    replies: () => ({ 200: z.object({ data: LicenseGrantView }) }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params, body }) {
      const grant = await setGrant(ctx, params.id, inputOf(body));
      return ok({ data: licenseGrantView(await stateOf(ctx, grant)) });
    },
  }),
  endpoint({
    method: 'delete',
    path,
    summary: 'Remove the license from a variant',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    params: Params,
    replies: () => ({ 200: z.object({ data: z.object({ deleted: z.literal(true) }) }) }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params }) {
      await removeGrant(ctx, params.id);
      return ok({ data: { deleted: true as const } });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/store/license-products',
    summary: 'List license products and policies that variants can be sold with',
    scope: 'products:read',
    limit: null,
    query: () => z.object({ q: optional(text({ min: 1, max: 200 })) }),
    replies: () => ({ 200: z.object({ data: z.array(PickableView) }) }),
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query: { q } }) =>
      ok({ data: (await products.pickable(ctx, { q, limit: MOST_PICKED })).map(pickableView) }),
  }),
];
