import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { Simulation } from './schemas.ts';
import { simulate } from './simulate.ts';
import { SimulatedView } from './view.ts';

/** What would be answered, for staff (licensing 4.2, 6.5). */
export const simulatorAdminEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/admin/simulate',
    summary: 'Show what would be answered to a request, and why; nothing is stored',
    scope: 'licensing:read',
    limit: null,
    body: Simulation.meta({ id: 'Simulation' }),
    replies: { 200: SimulatedView },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { body }) => ok(await simulate(ctx, body)),
  }),
];
