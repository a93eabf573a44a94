/** Payment processors for staff (storefront-api.md, AJ). */
import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import * as setup from './setup.ts';
import { PaymentProcessor } from './view.ts';

const base = '/api/store/payment-processors';
const params = z.object({ id: text({ min: 1, max: 30 }) });
const data = <S extends z.ZodType>(schema: S) => z.object({ data: schema });
const Values = jsonObject({ maxKeys: 20, maxKeyLength: 50, maxValueLength: 1000 });

export const processorEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the payment processors that can be used',
    scope: 'settings:read',
    limit: null,
    replies: { 200: data(z.array(PaymentProcessor)) },
    handle: async (ctx) => ok({ data: await setup.list(ctx) }),
  }),
  endpoint({
    method: 'get',
    path: `${base}/{id}`,
    summary: 'Show one payment processor, secrets masked',
    scope: 'settings:read',
    limit: null,
    params,
    replies: { 200: data(PaymentProcessor) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params: { id } }) => ok({ data: await setup.get(ctx, id) }),
  }),
  endpoint({
    method: 'put',
    path: `${base}/{id}/config`,
    summary: 'Configure a payment processor; null clears a field',
    scope: 'settings:write',
    limit: null,
    params,
    body: Values,
    replies: { 200: data(z.object({ configured: z.boolean() })) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params: { id }, body }) => ok({ data: await setup.configure(ctx, id, body) }),
  }),
  endpoint({
    method: 'post',
    path: `${base}/{id}/activate`,
    summary: 'Make a payment processor the main one',
    scope: 'settings:write',
    limit: null,
    params,
    replies: { 200: data(z.object({ payment_processor: z.string() })) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params: { id } }) => ok({ data: await setup.activate(ctx, id) }),
  }),
  endpoint({
    method: 'post',
    path: `${base}/{id}/test`,
    summary: 'Test the keys of a payment processor; nothing is charged',
    scope: 'settings:write',
    limit: null,
    params,
    replies: { 200: data(z.object({ ok: z.boolean(), message: z.string() })) },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params: { id } }) => ok({ data: await setup.test(ctx, id) }),
  }),
];
