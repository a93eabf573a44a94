/** What payment processors reported, for staff (licensing 4.2, Integrations in). */
import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, text, timestamp } from '#kernel/http/fields.ts';
import { idField } from '#kernel/service/fields.ts';
import { IdParams, listQuery, NoteBody } from '#platform/admin/index.ts';
import { getInboundEvent, listInboundEvents, reprocess } from './events/events.ts';
import { EVENT_STATUSES } from './outcome.ts';
import { listRefusals } from './refusals/listing.ts';
import { simulate } from './simulate.ts';
import { InboundEventPage, OneInboundEvent, RefusalPage, ReprocessedView, SimulatedView } from './view.ts';

const base = '/api/v1/admin';
const ConfigParams = z.strictObject({ configId: idField() });

const reading = [
  endpoint({
    method: 'get',
    path: `${base}/integrations/{configId}/events`,
    summary: 'List the events of an integration, newest first',
    scope: 'licensing:read',
    limit: null,
    params: ConfigParams,
    query: listQuery({
      status: oneOf(EVENT_STATUSES).optional(),
      reason: text({ min: 1, max: 50 }).optional(),
      from: timestamp().optional(),
      to: timestamp().optional(),
    }),
    replies: { 200: InboundEventPage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => ok(await listInboundEvents(ctx, params.configId, query)),
  }),
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
  endpoint({
    method: 'get',
    path: `${base}/inbound-events/{id}`,
    summary: 'Show one event with its body and the licenses that it made',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    replies: { 200: OneInboundEvent },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => ok({ event: await getInboundEvent(ctx, params.id) }),
  }),
];

const again = endpoint({
  method: 'post',
  path: `${base}/inbound-events/{id}/reprocess`,
  summary: 'Process an event again; what has been made is not made twice',
  scope: 'licensing:write',
  limit: null,
  params: IdParams,
  body: NoteBody,
  bodyOptional: true,
  replies: { 200: ReprocessedView },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
  handle: async (ctx, { params, body }) => ok(await reprocess(ctx, params.id, body)),
});

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

export const inboxAdminEndpoints = [...reading, again, trying];
