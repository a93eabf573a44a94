/** What payment processors were refused, and trying an integration out, for staff (licensing 4.2, Integrations in). */

import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { email, optional, text } from '#kernel/http/fields.ts';
import { idField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { listQuery } from '#platform/admin/index.ts';
import { listRefusals } from './refusals/listing.ts';
import { signedSample } from './sample.ts';
import { simulate } from './simulate.ts';
import { RefusalPage, SampleView, SimulatedView } from './view.ts';

const base = '/api/v1/admin';
const ConfigParams = z.strictObject({ configId: idField() });

const reading = [
  endpoint({
    method: 'get',
    path: `${base}/integrations/{configId}/refusals`,
    summary: 'List refused events by hour, reason and address; a wrong secret shows up here',
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
  summary: 'Show what an event would create, without creating anything',
  scope: 'licensing:read',
  limit: null,
  rehearsable: true,
  params: ConfigParams,
  body: later(() =>
    z.strictObject({
      payload: z.record(z.string(), z.unknown(), {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be an object'),
      }),
    }),
  ),
  replies: { 200: SimulatedView },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
  handle: async (ctx, { params, body }) => ok(await simulate(ctx, params.configId, body.payload)),
});

const sampling = endpoint({
  method: 'post',
  path: `${base}/integrations/{configId}/sample`,
  summary: 'Build and sign a sample purchase; sent to the endpoint of the integration, it creates a license',
  scope: 'licensing:secrets',
  limit: null,
  rehearsable: true,
  sudo: true,
  params: ConfigParams,
  body: later(() =>
    z
      .strictObject({
        externalProductId: optional(text({ min: 1, max: 255 })),
        email: email(bounds.customerEmail),
      })
      .meta({ id: 'SampleBody' }),
  ),
  replies: { 200: SampleView },
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
  handle: async (ctx, { params, body }) => ok(await signedSample(ctx, params.configId, body)),
});

export const inboxAdminEndpoints = [...reading, trying, sampling];
