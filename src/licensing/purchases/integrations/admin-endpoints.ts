/** Payment processors whose purchases become licenses, for staff (licensing 4.2, Integrations in). */
import { z } from 'zod';
import { created, endpoint, ok } from '#kernel/http/endpoint.ts';
import { IfMatchHeaders, readAt } from '#kernel/http/if-match.ts';
import { idField } from '#kernel/service/fields.ts';
import { Deleted, listQuery, noteField } from '#platform/admin/index.ts';
import { endpointUrl } from './integration.ts';
import * as integrations from './integrations.ts';
import { IntegrationCreate, IntegrationUpdate } from './schemas.ts';
import {
  IntegrationChanged,
  IntegrationCreated,
  IntegrationPage,
  integrationView,
  OneIntegration,
} from './view.ts';

const base = '/api/v1/admin/integrations';

/** `{configId}` of a path. */
const ConfigParams = z.strictObject({ configId: idField() });

export const integrationAdminEndpoints = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the integrations, by name',
    scope: 'licensing:read',
    limit: null,
    query: listQuery({}),
    replies: { 200: IntegrationPage },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => {
      const { items, pagination } = await integrations.list(ctx, query);
      return ok({ items: items.map((config) => integrationView(ctx, config)), pagination });
    },
  }),
  endpoint({
    method: 'get',
    path: `${base}/{configId}`,
    summary: 'Show one integration',
    scope: 'licensing:read',
    limit: null,
    params: ConfigParams,
    replies: { 200: OneIntegration },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) =>
      ok({ integration: integrationView(ctx, await integrations.get(ctx, params.configId)) }),
  }),
  endpoint({
    method: 'post',
    path: base,
    summary: 'Make an integration; endpointUrl is what the processor is told',
    scope: 'licensing:secrets',
    sudo: true,
    limit: null,
    body: IntegrationCreate.safeExtend({ note: noteField() }).meta({ id: 'IntegrationCreateBody' }),
    replies: { 201: IntegrationCreated },
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    handle: async (ctx, { body: { note, ...input } }) => {
      const { config, secret } = await integrations.create(ctx, input, { note });
      return created({
        integration: integrationView(ctx, config),
        endpointUrl: endpointUrl(ctx.baseUrl, config.id),
        ...(secret !== undefined && { signingSecret: secret }),
      });
    },
  }),
  endpoint({
    method: 'patch',
    path: `${base}/{configId}`,
    summary: 'Change an integration; a replaced secret stays valid for 24 hours',
    scope: 'licensing:secrets',
    sudo: true,
    limit: null,
    params: ConfigParams,
    headers: IfMatchHeaders,
    body: IntegrationUpdate.safeExtend({ note: noteField() }).meta({ id: 'IntegrationUpdateBody' }),
    replies: { 200: IntegrationChanged },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers, body: { note, ...changes } }) => {
      const options = { ifMatch: readAt(headers), note };
      const { config, secret } = await integrations.update(ctx, params.configId, changes, options);
      const shown = secret === undefined ? {} : { signingSecret: secret };
      return ok({ integration: integrationView(ctx, config), ...shown });
    },
  }),
  endpoint({
    method: 'delete',
    path: `${base}/{configId}`,
    summary: 'Delete an integration and its mappings; what it reported stays',
    scope: 'licensing:secrets',
    sudo: true,
    limit: null,
    params: ConfigParams,
    headers: IfMatchHeaders,
    replies: { 200: Deleted },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers }) => {
      const { id } = await integrations.remove(ctx, params.configId, { ifMatch: readAt(headers) });
      return ok({ id, deleted: true as const });
    },
  }),
];
