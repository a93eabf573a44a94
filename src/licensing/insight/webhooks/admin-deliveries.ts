/** What was sent to webhooks of the license service, for staff (licensing 4.2, Webhooks out). */
import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { integer, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { IdParams, listQuery, NoteBody, noteField, queryFlag, severalOf } from '#platform/admin/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { licenseWebhooks } from './service.ts';
import {
  DeliveryPage,
  deliveryDetails,
  deliveryLine,
  deliveryView,
  OneDelivery,
  OneDeliveryDetails,
  Replayed,
  TestRequest,
  TestSent,
} from './view.ts';

const base = '/api/v1/admin';
const eventName = () => text({ min: 1, max: 100 });
const MOST_NAMES = 100;

/** What a test sends: an event of the catalog, with values in place of those of its example. */
const TestBody = z
  .strictObject({
    event: optional(eventName()),
    overrides: optional(
      z.array(z.strictObject({ path: text({ min: 1, max: 200 }), value: z.unknown() })).max(50),
    ),
    note: noteField(),
  })
  .meta({ id: 'WebhookTestBody' });

const printing = endpoint({
  method: 'post',
  path: `${base}/webhooks/{id}/test-request`,
  summary: 'Show the request that a test would be, signed, without sending it',
  scope: 'licensing:write',
  limit: null,
  rehearsable: true,
  params: IdParams,
  body: TestBody,
  bodyOptional: true,
  replies: { 200: TestRequest },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  handle: async (ctx, { params, body }) =>
    ok(await webhooks.printTest(ctx, licenseWebhooks, params.id, body)),
});

const testing = endpoint({
  method: 'post',
  path: `${base}/webhooks/{id}/test`,
  summary: 'Send a test now and tell what the receiver answered; status is null when it did not',
  scope: 'licensing:write',
  limit: null,
  params: IdParams,
  body: TestBody,
  bodyOptional: true,
  replies: { 200: TestSent },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  handle: async (ctx, { params, body }) => {
    const sent = await webhooks.sendTest(ctx, licenseWebhooks, params.id, body);
    const [attempt] = sent.log;
    return ok({
      status: sent.lastStatus,
      ms: sent.lastMs ?? 0,
      body: attempt?.responseExcerpt ?? null,
      error: sent.lastError,
      deliveryId: sent.id,
    });
  },
});

const reading = [
  endpoint({
    method: 'get',
    path: `${base}/webhooks/{id}/deliveries`,
    summary: 'List what was sent to a webhook, newest first',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    query: listQuery({
      event: severalOf(eventName()).optional(),
      state: severalOf(oneOf(webhooks.DELIVERY_STATES)).optional(),
      details: queryFlag().optional(),
      from: timestamp().optional(),
      to: timestamp().optional(),
    }),
    replies: { 200: DeliveryPage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query: { event, state, details, from, to, ...asked } }) => {
      const filter = { events: event, states: state, from, to, ...sliceOf(asked) };
      const { items, total } = await webhooks.listDeliveries(ctx, licenseWebhooks, params.id, filter);
      return ok(pageOf(asked, { items: items.map(details ? deliveryDetails : deliveryLine), total }));
    },
  }),
  endpoint({
    method: 'get',
    path: `${base}/deliveries/{id}`,
    summary: 'Show one delivery with its body and every attempt',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    replies: { 200: OneDeliveryDetails },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) =>
      ok({ delivery: deliveryDetails(await webhooks.getDelivery(ctx, licenseWebhooks, params.id)) }),
  }),
];

const again = [
  endpoint({
    method: 'post',
    path: `${base}/deliveries/{id}/redeliver`,
    summary: 'Send a delivery again: the same bytes, the current secret',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    body: NoteBody,
    bodyOptional: true,
    replies: { 200: OneDelivery },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    handle: async (ctx, { params, body }) =>
      ok({ delivery: deliveryView(await webhooks.replayOne(ctx, licenseWebhooks, params.id, body)) }),
  }),
  endpoint({
    method: 'post',
    path: `${base}/webhooks/{id}/replay`,
    summary: 'Send the deliveries of a time range again that have ended, in the order of their events',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    body: z.strictObject({
      from: timestamp(),
      to: optional(timestamp()),
      limit: optional(integer(1, 100_000)),
      events: optional(
        z.array(eventName(), { error: 'must be a list of event names' }).min(1).max(MOST_NAMES),
      ),
      states: optional(
        z
          .array(oneOf(['DELIVERED', 'FAILED', 'SKIPPED']))
          .min(1)
          .max(3),
      ),
      note: noteField(),
    }),
    replies: { 200: Replayed },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, body: { note, ...range } }) => {
      const asked = { webhookId: params.id, ...range };
      return ok(await webhooks.replayRange(ctx, licenseWebhooks, asked, { note }));
    },
  }),
];

export const deliveryAdminEndpoints = [testing, printing, ...reading, ...again];
