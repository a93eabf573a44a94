/** Machines of one license, for staff (licensing 4.2). */
import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { IdParams, listQuery, noting } from '#platform/admin/index.ts';
import { get } from '../licenses/index.ts';
import { clear } from './clear.ts';
import { activationRows, shownActivation } from './rows/queries.ts';
import { ActivationsOfLicense, Cleared } from './view.ts';

const base = '/api/v1/admin/licenses/{id}/activations';

const ClearBody = z
  .strictObject({ reason: optional(text({ max: bounds.reason })) })
  .meta({ id: 'ActivationsClearBody' });

export const machineAdminEndpoints = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the machines of a license, longest active first',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    query: listQuery({
      ended: oneOf(['true', 'false']).optional(),
      staleBefore: timestamp().optional(),
    }),
    replies: { 200: ActivationsOfLicense },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query: { ended, staleBefore, ...asked } }) => {
      const filters = { licenseId: [(await get(ctx, params.id)).id], ended: ended === 'true', staleBefore };
      const { items, total } = await activationRows.page(ctx, { filters, ...sliceOf(asked) });
      return ok(pageOf(asked, { items: items.map((row) => shownActivation(row, ctx)), total }));
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/clear`,
    summary: 'Release all machines of a license at once',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    body: ClearBody,
    bodyOptional: true,
    replies: { 200: Cleared },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => {
      const ended = await clear(noting(ctx, { note: body?.reason }), params.id);
      const machines = ended.map(({ id, machineId, machineName }) => ({ id, machineId, machineName }));
      return ok({ machines });
    },
  }),
];
