import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { PolicyUpdate } from '#licensing/catalog/policies/index.ts';
import { noteField } from '#platform/admin/index.ts';
import { impact } from '../policies/index.ts';
import { PolicyImpactView } from '../policies/view.ts';
import { Simulation } from './schemas.ts';
import { simulate } from './simulate.ts';
import { SimulatedView } from './view.ts';

/** What would be answered, for staff (licensing 4.2, 6.5). */
export const simulatorAdminEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/admin/simulate',
    summary: 'Show how a request would be answered, and why; nothing is stored',
    scope: 'licensing:read',
    limit: null,
    body: later(() => Simulation.meta({ id: 'Simulation' })),
    replies: { 200: SimulatedView },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { body }) => ok(await simulate(ctx, body)),
  }),
  endpoint({
    method: 'post',
    path: '/api/v1/admin/policies/{id}/impact',
    summary: 'Count the validation answers that a policy change would alter; nothing is stored',
    scope: 'licensing:read',
    limit: null,
    // A policy is named by its id or its name.
    params: z.strictObject({ id: text({ min: 1, max: 255 }) }),
    body: z.strictObject({ changes: PolicyUpdate, note: noteField() }).meta({ id: 'PolicyImpactBody' }),
    replies: { 200: PolicyImpactView },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => ok(await impact(ctx, params.id, body.changes)),
  }),
];
