import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { rangeFields } from '../statistics/index.ts';
import { overview } from './overview.ts';
import { OverviewView } from './view.ts';

/** What a vendor opens the day with, for staff (licensing 4.2, Metrics). */
export const overviewAdminEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/admin/stats/overview',
    summary: 'Show how many licenses, machines and seats there are, and what was asked of them each day',
    description:
      'Figures of the tenant, of the products that the caller may see. `from` and `to` choose the days of `days`: the last 30 ' +
      'when left out, two years at most. Counters of today are up to ten seconds old. Days are in UTC.',
    scope: 'licensing:read',
    limit: null,
    query: z.strictObject(rangeFields),
    replies: { 200: OverviewView },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => ok(await overview(ctx, query)),
  }),
];
