/** What the products of a payment processor are here, for staff (licensing 4.2, Integrations in). */
import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { IfMatchHeaders, readAt } from '#kernel/http/if-match.ts';
import { idField } from '#kernel/service/fields.ts';
import { Deleted, listQuery, noteField } from '#platform/admin/index.ts';
import { MappingInput, MappingUpdate } from '../schemas.ts';
import { MappingPage, OneMapping } from '../view.ts';
import { listMappings, mapProduct, unmapProduct, updateMapping } from './mappings.ts';

const base = '/api/v1/admin/integrations/{configId}/mappings';
const ConfigParams = z.strictObject({ configId: idField() });
const MappingParams = z.strictObject({ configId: idField(), id: idField() });

export const mappingAdminEndpoints = [
  endpoint({
    method: 'get',
    path: base,
    summary: 'List the mappings of an integration, by external id',
    scope: 'licensing:read',
    limit: null,
    params: ConfigParams,
    query: listQuery({}),
    replies: { 200: MappingPage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params, query }) => ok(await listMappings(ctx, params.configId, query)),
  }),
  endpoint({
    method: 'post',
    path: base,
    summary: 'Map a product of the processor; the same external id again changes what is sent',
    scope: 'licensing:write',
    limit: null,
    params: ConfigParams,
    headers: IfMatchHeaders,
    body: MappingInput.extend({ note: noteField() }).meta({ id: 'MappingInputBody' }),
    replies: { 200: OneMapping },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers, body: { note, ...input } }) => {
      const options = { ifMatch: readAt(headers), note };
      return ok({ mapping: await mapProduct(ctx, params.configId, input, options) });
    },
  }),
  endpoint({
    method: 'patch',
    path: `${base}/{id}`,
    summary: 'Change a mapping; what is not sent stays',
    scope: 'licensing:write',
    limit: null,
    params: MappingParams,
    headers: IfMatchHeaders,
    body: MappingUpdate.extend({ note: noteField() }).meta({ id: 'MappingUpdateBody' }),
    replies: { 200: OneMapping },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers, body: { note, ...changes } }) => {
      const options = { ifMatch: readAt(headers), note };
      return ok({ mapping: await updateMapping(ctx, params.configId, params.id, changes, options) });
    },
  }),
  endpoint({
    method: 'delete',
    path: `${base}/{id}`,
    summary: 'Take a mapping away; purchases of that product are unmapped from then on',
    scope: 'licensing:write',
    limit: null,
    params: MappingParams,
    headers: IfMatchHeaders,
    replies: { 200: Deleted },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PRECONDITION_FAILED'],
    handle: async (ctx, { params, headers }) => {
      const named = { id: params.id };
      const { id } = await unmapProduct(ctx, params.configId, named, { ifMatch: readAt(headers) });
      return ok({ id, deleted: true as const });
    },
  }),
];
