import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import type { Surface } from './surface.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.0 document of a surface, from its declarations.
 *
 * @param version of the program
 * @param envelope `{success, failure}`: how the surface wraps a reply's schema and an error's
 */
export function openApi(
  surface: Surface,
  version: string,
  envelope: { success(schema: Json): Json; failure: Json },
): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of surface.endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint, envelope) };
  }
  return {
    openapi: '3.0.3',
    info: { title: surface.title, version },
    paths,
    components: {
      schemas: { Error: envelope.failure },
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    },
  };
}

function operation(endpoint: Endpoint, envelope: { success(schema: Json): Json }): Json {
  const replies = Object.entries(endpoint.replies).map(([status, schema]) => [
    status,
    { description: describe(Number(status)), content: json(envelope.success(schemaOf(schema, 'output'))) },
  ]);
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...parameters('header', endpoint.headers),
    ],
    ...(endpoint.body && {
      requestBody: { required: true, content: json(schemaOf(endpoint.body, 'input')) },
    }),
    responses: {
      ...Object.fromEntries(replies),
      default: { description: 'Error', content: json({ $ref: '#/components/schemas/Error' }) },
    },
    security: endpoint.scope === null ? [] : [{ apiKey: [] }],
    ...(endpoint.scope !== null && { 'x-scope': endpoint.scope }),
    ...(endpoint.limit && { 'x-rate-limit': endpoint.limit }),
    ...(endpoint.errors && { 'x-errors': endpoint.errors }),
  };
}

/** `POST /api/v1/license/create-bulk` becomes `postLicenseCreateBulk`. */
function operationId({ method, path }: Endpoint): string {
  const words = path
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '' && word !== 'api' && !/^v\d+$/.test(word));
  return method + words.map((word) => (word[0] as string).toUpperCase() + word.slice(1)).join('');
}

const describe = (status: number): string =>
  ({ 200: 'Done', 201: 'Created', 207: 'Some items failed', 503: 'Degraded' })[status] ?? 'Answer';

const json = (schema: Json): Json => ({ 'application/json': { schema } });

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
  }) as Json;
  return rest;
};

function parameters(place: 'path' | 'query' | 'header', schema: z.ZodType | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: shape,
  }));
}
