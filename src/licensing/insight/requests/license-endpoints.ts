/** What was answered about one license, for staff (licensing 4.2, 6.6). */
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { get } from '#licensing/licenses/licenses/index.ts';
import { IdParams, listQuery } from '#platform/admin/index.ts';
import { list } from './requests.ts';
import { DecisionPage } from './view.ts';

export const licenseDecisionEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/admin/licenses/{id}/decisions',
    summary: 'List the recorded requests about a license, newest first',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    query: listQuery({}),
    replies: { 200: DecisionPage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => {
      const { id } = await get(ctx, params.id);
      return ok(await list(ctx, { ...query, licenseId: id }));
    },
  }),
];
