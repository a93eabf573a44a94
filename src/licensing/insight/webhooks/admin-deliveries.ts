/** What was sent to webhooks of the license service, for staff (licensing 4.2, Webhooks out). */
import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { IdParams, listQuery, NoteBody, noteField } from '#platform/admin/index.ts';
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
  TestSent,
} from './view.ts';

const base = '/api/v1/admin';
const eventName = () => text({ min: 1, max: 100 });
const MOST_NAMES = 100;

const testing = endpoint({
  method: 'post',
  path: `${base}/webhooks/{id}/test`,
  summary: 'Send a test now and tell what the receiver answered; status is null when it did not',
  scope: 'licensing:write',
  limit: null,
  params: IdParams,
  body: z.strictObject({ event: optional(eventName()), note: noteField() }),
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
      event: eventName().optional(),
      state: oneOf(webhooks.DELIVERY_STATES).optional(),
      from: timestamp().optional(),
      to: timestamp().optional(),
    }),
    replies: { 200: DeliveryPage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query: { event, state, from, to, ...asked } }) => {
      const [events, states] = [event === undefined ? [] : [event], state === undefined ? [] : [state]];
      const filter = { events, states, from, to, ...sliceOf(asked) };
      const { items, total } = await webhooks.listDeliveries(ctx, licenseWebhooks, params.id, filter);
      return ok(pageOf(asked, { items: items.map(deliveryLine), total }));
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
    params: IdParams,
    body: z.strictObject({
      from: timestamp(),
      to: timestamp(),
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

export const deliveryAdminEndpoints = [testing, ...reading, ...again];
