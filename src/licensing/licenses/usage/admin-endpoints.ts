/** What one license has used, for staff (licensing 4.2). */
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { IdParams, listQuery, NoteBody, noteField, noting } from '#platform/admin/index.ts';
import { reset, set } from './counter.ts';
import { list, show } from './queries.ts';
import { SetUsageInput } from './schemas.ts';
import { OneUsage, UsagePage } from './view.ts';

const base = '/api/v1/admin/licenses/{id}/usage';

export const usageAdminEndpoints = [
  endpoint({
    method: 'get',
    path: base,
    summary: "Show a license's usage and the counted calls, newest first",
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    query: listQuery({}),
    replies: { 200: UsagePage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) =>
      ok({ usage: await show(ctx, params.id), ...(await list(ctx, params.id, query)) }),
  }),
  endpoint({
    method: 'post',
    path: `${base}/reset`,
    summary: 'Reset the counter of a license to 0',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    body: NoteBody,
    bodyOptional: true,
    replies: { 200: OneUsage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) => ok({ usage: await reset(noting(ctx, body), params.id) }),
  }),
  endpoint({
    method: 'post',
    path: `${base}/set`,
    summary: 'Set the counter of a license, even above its limit; only its timeline records it',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    body: SetUsageInput.extend({ note: noteField() }).meta({ id: 'SetUsageBody' }),
    replies: { 200: OneUsage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body }) =>
      ok({ usage: await set(noting(ctx, body), params.id, body.current) }),
  }),
];
