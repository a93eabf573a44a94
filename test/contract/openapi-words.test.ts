// What the OpenAPI documents say: no field without a text and an example, no example that would be refused.
import { describe, expect, it } from 'vitest';
import { readAsset } from '#kernel/assets.ts';
import { loadConfig } from '#kernel/config/load.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { openApi } from '#kernel/http/openapi.ts';
import { describedApi, readWords, withWords, wordFilesOf } from '#kernel/http/openapi-words.ts';
import type { Surface } from '#kernel/http/surface.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { missingWords, placesOf } from './openapi-missing.ts';

type Json = Record<string, unknown>;
type Body = { content: { 'application/json'?: { example?: unknown } } };

const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
const surfaces = surfacesOf(config);
const described = new Map(surfaces.map((one) => [one.name, describedApi(one, '0.0.0', 'https://a.test')]));
const documentOf = ({ name }: Surface) => described.get(name) as Json;

describe.each(surfaces.map((one) => [one.name, one] as const))('%s', (name, surface) => {
  it('says of every field, parameter and operation what it is, with an example', () => {
    expect(missingWords(documentOf(surface))).toEqual([]);
  });

  it('has an example of every body that its own rules take', () => {
    const refused = surface.endpoints.flatMap((endpoint) => faultsOf(endpoint, documentOf(surface)));
    expect(refused).toEqual([]);
  });

  it('says each word once', () => {
    const lines = textsIn(name).flatMap((text) => text.split('\n').filter((line) => /^[^#]/.test(line)));
    const names = lines.map((line) => line.slice(0, line.indexOf('\t')));
    expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual([]);
  });

  it('has no word that nothing uses', () => {
    const places = placesOf(openApi(surface, '0.0.0', '/'));
    expect([...wordsIn(name).keys()].filter((word) => !places.has(word))).toEqual([]);
  });
});

it('shares no word that no document uses', () => {
  const places = new Set(surfaces.flatMap((one) => [...placesOf(openApi(one, '0.0.0', '/'))]));
  expect([...wordsIn('shared').keys()].filter((word) => !places.has(word))).toEqual([]);
});

/** What the schema of a body says against the example that the document shows for it. */
function faultsOf(endpoint: Endpoint, document: Json): string[] {
  const operation = (document.paths as Record<string, Record<string, Json>>)[endpoint.path]?.[
    endpoint.method
  ];
  const body = operation?.requestBody as Body | undefined;
  const example = body?.content['application/json']?.example;
  if (!endpoint.body || example === undefined) return [];
  const checked = endpoint.body.safeParse(example);
  if (checked.success) return [];
  const said = checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  return [`${operation?.operationId}: ${said.join('; ')}`];
}

const textsIn = (name: string): string[] => wordFilesOf(name).map((key) => readAsset(key).toString('utf8'));
const wordsIn = (name: string) => readWords(textsIn(name));

describe('the words of a document', () => {
  const document = {
    paths: {
      '/a': {
        post: {
          operationId: 'postA',
          parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
          responses: { 204: { description: 'Done' } },
          security: [],
          'x-rate-limit': { max: 5, windowSeconds: 900, by: 'ip' },
        },
      },
    },
    components: {
      schemas: {
        A: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', maxLength: 4 },
            kind: { type: 'string', enum: ['X', 'Y'] },
            told: { type: 'integer', description: 'Its own' },
          },
        },
      },
      parameters: {},
    },
  };
  const words = ['A\tAn A', 'name\tAny name\t"too long for it"', 'A.name\tThe name\t"Bob"', 'q\tText\t"a"'];
  const [a, post] = (() => {
    const result = withWords(document, readWords([words.join('\n')])) as typeof document;
    return [result.components.schemas.A as Json, result.paths['/a'].post as Json];
  })();

  it('stand at the field of the schema before those of the name, and never replace its own', () => {
    expect(a).toMatchObject({
      description: 'An A',
      properties: {
        name: { description: 'The name', example: 'Bob' },
        kind: { example: 'X' },
        told: { description: 'Its own', example: 1 },
      },
    });
  });

  it('make an example of the body and say what an operation asks for', () => {
    expect(post).toMatchObject({
      description:
        'Needs no credential.\n\nAt most 5 requests in 15 minutes for each address; above that 429 with `Retry-After`.',
      parameters: [{ description: 'Text', example: 'a' }],
      requestBody: { content: { 'application/json': { example: { name: 'Bob' } } } },
    });
  });

  it('stand at the place of a parameter before those of its name, also where it is shared', () => {
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
    const operation = (operationId: string) => ({
      get: {
        ...document.paths['/a'].post,
        operationId,
        parameters: [{ $ref: '#/components/parameters/PathId' }],
      },
    });
    const filter = { type: 'object', properties: { q: { type: 'string' } } };
    const nested = { type: 'object', properties: { id: { type: 'string' } } };
    const result = withWords(
      {
        paths: { '/users/{id}': operation('getUser'), '/roles/{id}': operation('getRole') },
        components: {
          schemas: {
            Body: {
              type: 'object',
              properties: { filter, q: { type: 'string' }, role: nested, user: nested },
            },
          },
          parameters: { PathId: id },
        },
      },
      readWords([
        'users/{id}\tId of the user\t"usr_1"\nid\tAn id\t"x"\nq\tText\nquery.q\tText to look for',
        'Body.id\tIts id\nBody.user.id\tId of its user',
      ]),
    );
    const parameters = (path: string) =>
      (result.paths as Record<string, { get: Json }>)[path]?.get.parameters;
    expect(parameters('/users/{id}')).toEqual([{ ...id, description: 'Id of the user', example: 'usr_1' }]);
    expect(parameters('/roles/{id}')).toEqual([{ $ref: '#/components/parameters/PathId' }]);
    expect(result.components).toMatchObject({
      schemas: {
        Body: {
          properties: {
            q: { description: 'Text' },
            filter: { properties: { q: { description: 'Text to look for' } } },
            role: { properties: { id: { description: 'Its id' } } },
            user: { properties: { id: { description: 'Id of its user' } } },
          },
        },
      },
      parameters: { PathId: { description: 'An id', example: 'x' } },
    });
  });

  it('refuse a line without a text', () => {
    expect(() => readWords(['name'])).toThrow('has no text: name');
  });
});
