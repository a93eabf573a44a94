import { z } from 'zod';
import { later } from './../sharing.ts';
import { DISK_FULL } from '../storage/failure.ts';
import { MAX_DEPTH } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { contentResponses, fileOf, uploadBody } from './openapi-bytes.ts';
import { type SchemaComponents, schemaComponents, shareRepeated } from './openapi-components.ts';
import { UNLIMITED } from './rate-limit.ts';
import type { Contract, Surface } from './surface.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.0 document of a surface, from its declarations.
 *
 * @param version of the program
 * @param url where the surface is served
 */
export function openApi(surface: Surface, version: string, url: string): Json {
  const { title, contract, endpoints } = surface;
  const paths: Record<string, Json> = { '/api/health': { get: health() } };
  const schemas = schemaComponents({ ...contract.schemas, Error: contract.failure });
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method]: operation(endpoint, surface, schemas),
    };
  }
  const described = { ...contract.tags, health: 'Whether the service answers' };
  const used = new Set([...endpoints.map((endpoint) => tagOf(endpoint, surface)), 'health']);
  const tags = Object.entries(described)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
  const repeated = shareRepeated(paths);
  return {
    openapi: '3.0.3',
    info: { title, version, description: contract.description, license: { name: 'Proprietary', url } },
    servers: [{ url }],
    tags,
    paths,
    components: {
      schemas: schemas.all(),
      ...repeated,
      securitySchemes: securitySchemes(contract),
    },
  };
}

const DryRunHeaders = later(() =>
  z.object({
    'dry-run': z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` shows what would be done and changes nothing; the answer has the header too'),
  }),
);

const securitySchemes = ({ credential, session }: Contract): Json =>
  Object.fromEntries(
    [credential, ...(session ? [session.cookie, session.token] : [])].map(({ name, scheme }) => [
      name,
      scheme,
    ]),
  );

/** Which credentials open an operation, each of a list alone. */
function securityOf(
  { scope, method, session }: Endpoint,
  { credential, session: browser }: Contract,
): Json[] {
  const cookie = browser && {
    [browser.cookie.name]: [],
    ...(method !== 'get' && { [browser.token.name]: [] }),
  };
  if (scope === null) return session === 'token' && cookie ? [cookie] : [];
  return [{ [credential.name]: [] }, ...(cookie ? [cookie] : [])];
}

function operation(endpoint: Endpoint, surface: Surface, schemas: SchemaComponents): Json {
  const { contract } = surface;
  const replies = Object.entries(endpoint.replies).map(([status, schema]) => [
    status,
    {
      description: describe(Number(status)),
      ...(status !== '204' && {
        content: {
          ...json(contract.success(schemas.schemaOf(schema, 'output'))),
          ...(status === '200' && fileOf(endpoint)),
        },
      }),
    },
  ]);
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    tags: [tagOf(endpoint, surface)],
    parameters: [
      ...parameters(schemas, 'path', endpoint.params),
      ...parameters(schemas, 'query', endpoint.query),
      ...parameters(schemas, 'header', endpoint.headers),
      ...(endpoint.scope === null ? [] : parameters(schemas, 'header', contract.headers)),
      ...(endpoint.rehearsable && surface.rehearses ? parameters(schemas, 'header', DryRunHeaders) : []),
    ],
    ...requestBody(endpoint, surface, schemas),
    responses: {
      ...(endpoint.content && contentResponses(endpoint.content)),
      ...Object.fromEntries(replies),
      ...refusals(endpoint, contract),
    },
    security: securityOf(endpoint, contract),
    ...(endpoint.scope !== null && { 'x-scopes': scopesOf(endpoint, contract) }),
    ...((endpoint.sudo || endpoint.sudoFor) && { 'x-sudo': true }),
    ...(endpoint.limit && endpoint.limit.max !== UNLIMITED && { 'x-rate-limit': endpoint.limit }),
  };
}

const scopesOf = ({ scope, orScope }: Endpoint, { scopes }: Contract): readonly string[] => [
  ...new Set([scope, orScope].flatMap((one) => (typeof one === 'string' ? scopes(one) : []))),
];

/** What may be sent, and how much of it: a larger body is refused before it is read (413). */
function requestBody(endpoint: Endpoint, surface: Surface, schemas: SchemaComponents): Json {
  const { body, rawBody, upload, bodyOptional, bodyBytes = surface.bodyBytes } = endpoint;
  if (upload) return { requestBody: uploadBody() };
  if (rawBody) {
    const description = `At most ${rawBody.maxBytes} bytes`;
    return { requestBody: { description, required: true, content: SIGNED_BYTES } };
  }
  if (!body) return {};
  const description = `JSON of at most ${bodyBytes} bytes, nested at most ${MAX_DEPTH} levels deep`;
  return {
    requestBody: { description, required: !bodyOptional, content: json(schemas.schemaOf(body, 'input')) },
  };
}

/** One response per status, each naming the codes that it can carry. */
function refusals(endpoint: Endpoint, contract: Contract): Json {
  const isByCookie =
    contract.session !== undefined && (endpoint.scope !== null || endpoint.session !== undefined);
  const credentials = [
    ...(endpoint.scope === null ? [] : contract.credentialErrors),
    ...(endpoint.customer ? ['AUTH_UNAUTHORIZED'] : []),
    ...(isByCookie && endpoint.method !== 'get' ? ['CSRF_FAILED'] : []),
  ];
  const byStatus = new Map<number, string[]>();
  const own = endpoint.errors ?? [];
  const codes = [...credentials, ...own, ...contract.commonErrors];
  for (const code of new Set(codes.map((one) => contract.answered?.(one) ?? one))) {
    if (code === 'RATE_LIMITED' && endpoint.limit === null && !own.includes(code)) continue;
    const [status, message] = contract.errors[code] ?? [500, code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `- \`${code}\`: ${message}`]);
  }
  const unexpected = contract.answered?.('SERVER_ERROR') ?? 'SERVER_ERROR';
  if (endpoint.upload) byStatus.set(DISK_FULL.status, [`- \`${unexpected}\`: ${DISK_FULL.message}`]);
  const content = json({ $ref: '#/components/schemas/Error' });
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [status, { description: lines.join('\n'), content }]),
  );
}

/** The health endpoint belongs to no surface; its shape is the specification's. */
function health(): Json {
  const shape = (status: string, more: Json) => ({
    type: 'object',
    required: ['success', 'status', 'timestamp'],
    properties: {
      success: { type: 'boolean' },
      status: { type: 'string', enum: [status] },
      timestamp: { type: 'string', format: 'date-time' },
      ...more,
    },
  });
  const error = { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } };
  return {
    operationId: 'getHealth',
    summary: 'Check whether the service answers',
    tags: ['health'],
    parameters: [],
    responses: {
      200: { description: 'Done', content: json(shape('ok', { version: { type: 'string' } })) },
      503: {
        description: 'The database cannot be read or written',
        content: json(shape('degraded', { error })),
      },
    },
    security: [],
  };
}

/** `/api/v1/license/create-bulk` belongs to `license`, and `/api/v1/admin/webhooks` of the admin API to `webhooks`. */
function tagOf({ path }: Endpoint, { prefixes }: Surface): string {
  const prefix = prefixes.find((one) => path.startsWith(`${one}/`)) ?? '';
  return wordsOf(path.slice(prefix.length))[0] ?? 'api';
}

const wordsOf = (path: string): string[] =>
  path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api' && !/^v\d+$/.test(word));

/** `POST /api/v1/license/create-bulk` becomes `postLicenseCreateBulk`. */
const operationId = ({ method, path }: Endpoint): string =>
  method +
  wordsOf(path)
    .map((word) => (word[0] as string).toUpperCase() + word.slice(1))
    .join('');

const describe = (status: number): string =>
  ({
    200: 'Done',
    201: 'Created',
    204: 'Done; the answer has no body',
    207: 'Some items failed',
    503: 'Nothing was stored: send it again',
  })[status] ?? 'Answer';

/** What somebody else signed may have any form. */
const SIGNED_BYTES: Json = { '*/*': { schema: { type: 'string', format: 'binary' } } };

const json = (schema: Json): Json => ({ 'application/json': { schema } });

function parameters(
  schemas: SchemaComponents,
  place: 'path' | 'query' | 'header',
  schema: z.ZodType | undefined,
): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: place,
    ...(typeof shape.description === 'string' && { description: shape.description }),
    required: place === 'path' || required.includes(name),
    schema: shape,
  }));
}
