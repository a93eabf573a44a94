/** Webhooks of the license service, for staff (licensing 4.2, Webhooks out). */
import { z } from 'zod';
import { created, endpoint, ok } from '#kernel/http/endpoint.ts';
import { optional } from '#kernel/http/fields.ts';
import { IfMatchHeaders, readAt } from '#kernel/http/if-match.ts';
import { pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { Deleted, IdParams, listQuery, NoteBody, noteField, queryFlag } from '#platform/admin/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { licenseWebhooks } from './service.ts';
import {
  OneWebhook,
  SecretRotated,
  WebhookChanged,
  WebhookCreated,
  WebhookPage,
  webhookView,
} from './view.ts';

const base = '/api/v1/admin/webhooks';

/** An own secret, for a receiver that has one already; what is wrong with it is judged by the use case. */
const ownSecret = () =>
  optional(z.string({ error: 'must be a string' }).meta({ minLength: 16, maxLength: 255 }));

const reading = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the webhooks, oldest first',
    scope: 'licensing:read',
    limit: null,
    query: listQuery({ enabled: queryFlag().optional() }),
    replies: { 200: WebhookPage },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => {
      const slice = { ...sliceOf(query), enabled: query.enabled };
      const { items, total } = await webhooks.list(ctx, licenseWebhooks, slice);
      return ok(pageOf(query, { items: items.map(webhookView), total }));
    },
  }),
  endpoint({
    method: 'get',
    path: `${base}/{id}`,
    summary: 'Show one webhook',
    scope: 'licensing:read',
    limit: null,
    params: IdParams,
    replies: { 200: OneWebhook },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) =>
      ok({ webhook: webhookView(await webhooks.get(ctx, licenseWebhooks, params.id)) }),
  }),
];

const changing = [
  endpoint({
    method: 'post',
    path: base,
    summary: 'Make a webhook; its signing secret is shown this once',
    scope: 'licensing:secrets',
    sudo: true,
    limit: null,
    rehearsable: true,
    body: webhooks.WebhookCreateBody.extend({ secret: ownSecret(), note: noteField() }).meta({
      id: 'WebhookCreateBody',
    }),
    replies: { 201: WebhookCreated },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body: { note, secret, ...input } }) => {
      const made = await webhooks.create(ctx, licenseWebhooks, input, { note, secret });
      return created({ ...made, webhook: webhookView(made.webhook) });
    },
  }),
  endpoint({
    method: 'patch',
    path: `${base}/{id}`,
    summary: 'Change a webhook; what is not sent stays',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    headers: IfMatchHeaders,
    body: webhooks.WebhookUpdateBody.extend({ note: noteField() }).meta({ id: 'WebhookUpdateBody' }),
    replies: { 200: WebhookChanged },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers, body: { note, ...changes } }) => {
      const options = { note, ifMatch: readAt(headers) };
      const { webhook, warning } = await webhooks.update(ctx, licenseWebhooks, params.id, changes, options);
      return ok({ webhook: webhookView(webhook), warning });
    },
  }),
  endpoint({
    method: 'delete',
    path: `${base}/{id}`,
    summary: 'Delete a webhook and the log of its deliveries',
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    headers: IfMatchHeaders,
    replies: { 200: Deleted },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers }) => {
      await webhooks.remove(ctx, licenseWebhooks, params.id, { ifMatch: readAt(headers) });
      return ok({ id: params.id, deleted: true as const });
    },
  }),
];

const switches = {
  enable: { summary: 'Send events to a webhook again', run: webhooks.enable },
  disable: { summary: 'Send nothing to a webhook any more', run: webhooks.disable },
};

/** Switching on forgets the failures and resends nothing; switching off skips what waits (D119). */
const switching = Object.entries(switches).map(([action, { summary, run }]) =>
  endpoint({
    method: 'post',
    path: `${base}/{id}/${action}`,
    summary,
    scope: 'licensing:write',
    limit: null,
    rehearsable: true,
    params: IdParams,
    headers: IfMatchHeaders,
    body: NoteBody,
    bodyOptional: true,
    replies: { 200: OneWebhook },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers, body: { note } }) => {
      const options = { ifMatch: readAt(headers), note };
      return ok({ webhook: webhookView(await run(ctx, licenseWebhooks, params.id, options)) });
    },
  }),
);

const rotating = endpoint({
  method: 'post',
  path: `${base}/{id}/rotate-secret`,
  summary: 'Give a webhook a new signing secret, shown this once; the old one signs too for 24 hours',
  scope: 'licensing:secrets',
  sudo: true,
  limit: null,
  rehearsable: true,
  params: IdParams,
  headers: IfMatchHeaders,
  body: NoteBody.extend({ secret: ownSecret() }).meta({ id: 'WebhookRotateBody' }),
  bodyOptional: true,
  replies: { 200: SecretRotated },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  handle: async (ctx, { params, headers, body: { note, secret } }) => {
    const options = { ifMatch: readAt(headers), note, secret };
    const rotated = await webhooks.rotateSecret(ctx, licenseWebhooks, params.id, options);
    return ok({ ...rotated, webhook: webhookView(rotated.webhook) });
  },
});

export const webhookAdminEndpoints = [...reading, ...changing, ...switching, rotating];
