/** What payment processors were refused, and what an event of theirs would make, for staff (licensing 4.2, Integrations in). */
import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { idField } from '#kernel/service/fields.ts';
import { listQuery } from '#platform/admin/index.ts';
import { listRefusals } from './refusals/listing.ts';
import { simulate } from './simulate.ts';
import { RefusalPage, SimulatedView } from './view.ts';

const base = '/api/v1/admin';
const ConfigParams = z.strictObject({ configId: idField() });

const reading = [
  endpoint({
    method: 'get',
    path: `${base}/integrations/{configId}/refusals`,
    summary: 'List what was refused, by hour, reason and address: a wrong secret shows here',
    scope: 'licensing:read',
    limit: null,
    params: ConfigParams,
    query: listQuery({}),
    replies: { 200: RefusalPage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => ok(await listRefusals(ctx, params.configId, query)),
  }),
];

const trying = endpoint({
  method: 'post',
  path: `${base}/integrations/{configId}/simulate`,
  summary: 'Tell what an event would make, without making it',
  scope: 'licensing:read',
  limit: null,
  params: ConfigParams,
  body: z.strictObject({
    payload: z.record(z.string(), z.unknown(), {
      error: ({ input }) => (input === undefined ? 'is required' : 'must be an object'),
    }),
  }),
  replies: { 200: SimulatedView },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
  handle: async (ctx, { params, body }) => ok(await simulate(ctx, params.configId, body.payload)),
});

export const inboxAdminEndpoints = [...reading, trying];
