import { listAssets, readAsset } from '../assets.ts';
import { openApi } from './openapi.ts';
import { exampleFor, isPlain, withoutRefs } from './openapi-examples.ts';
import { operationText } from './openapi-facts.ts';
import type { Surface } from './surface.ts';

type Json = Record<string, unknown>;

/** What documents say of a field or a schema: a text, and a value such as one meets. */
export interface Word {
  readonly text: string;
  readonly example?: unknown;
}

/** By `Schema.field`, `operationId.field`, `field` or `Schema`; the first one that exists counts. */
export type Words = ReadonlyMap<string, Word>;

const FOLDER = 'templates/api-docs/fields';

/** Words of a surface: those that all share, then its own, which win. */
const wordsOf = (surface: string): Words =>
  readWords([`${FOLDER}/shared.tsv`, `${FOLDER}/${surface}.tsv`].filter(isThere).map(textOf));

const isThere = (key: string): boolean => listAssets(FOLDER).includes(key);
const textOf = (key: string): string => readAsset(key).toString('utf8');

/**
 * The OpenAPI 3.0 document of a surface as people and tools read it: with the words of its fields.
 *
 * @param version of the program
 * @param url where the surface is served
 */
export const describedApi = (surface: Surface, version: string, url: string): Json =>
  withWords(openApi(surface, version, url), wordsOf(surface.name));

/**
 * @param texts of one line for each word: name, text and, where there is one, the example as JSON, with tabs between;
 * lines that begin with # are for those who write them
 * @throws Error for a line without a text, and SyntaxError for an example that is no JSON
 */
export function readWords(texts: readonly string[]): Words {
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [name, text, example] = line.split('\t');
      if (!name || !text) throw new Error(`a line of the API's words has no text: ${line}`);
      return [name, { text, ...(example && { example: JSON.parse(example) as unknown }) }];
    }),
  );
}

/**
 * The same document with a description and an example for every field, parameter and body, and for each operation what
 * it asks for. What a schema says itself stays. Kept apart from the document itself, so that its checked-in copy shows
 * changes of the contract alone.
 */
export function withWords(document: Json, words: Words): Json {
  const { schemas, parameters, ...components } = document.components as Record<string, Json>;
  const named = mapValues(schemas as Json, (schema, name) => worded(schema as Json, { words, owner: name }));
  const shared = mapValues(parameters as Json, (one) => parameterWith(one as Json, words, ''));
  const paths = mapValues(document.paths as Json, (item) =>
    mapValues(item as Json, (operation) => operationWith(operation as Json, { words, named, shared })),
  );
  return { ...document, paths, components: { schemas: named, parameters: shared, ...components } };
}

/** Where a schema stands: in the component or operation `owner`, as the field `name`. */
type Place = { readonly words: Words; readonly owner: string; readonly name?: string };

function worded(schema: Json, place: Place): Json {
  if (typeof schema.$ref === 'string') return schema;
  const { words, owner, name } = place;
  const word = name === undefined ? words.get(owner) : (words.get(`${owner}.${name}`) ?? words.get(name));
  const inner: Json = { ...schema };
  if (schema.properties)
    inner.properties = mapValues(schema.properties as Json, (one, field) =>
      worded(one as Json, { ...place, name: field }),
    );
  for (const key of ['items', 'additionalProperties', 'not'])
    if (typeof schema[key] === 'object' && schema[key] !== null)
      inner[key] = worded(schema[key] as Json, { words, owner, ...(name && { name: `${name}[]` }) });
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    if (Array.isArray(schema[key]))
      inner[key] = schema[key].map((one: Json) => worded(one, { words, owner }));
  const example = isPlain(schema) ? exampleFor(schema, word?.example) : word?.example;
  return {
    ...inner,
    ...(word && schema.description === undefined && { description: word.text }),
    ...(example !== undefined && schema.example === undefined && { example }),
  };
}

function parameterWith(parameter: Json, words: Words, owner: string): Json {
  if (typeof parameter.$ref === 'string') return parameter;
  const schema = worded(parameter.schema as Json, { words, owner, name: String(parameter.name) });
  const { description, example, ...rest } = schema;
  return {
    ...parameter,
    ...(parameter.description === undefined && description !== undefined && { description }),
    schema: rest,
    ...(example !== undefined && { example }),
  };
}

type Parts = { readonly words: Words; readonly named: Json; readonly shared: Json };

function operationWith(operation: Json, { words, named, shared }: Parts): Json {
  const owner = String(operation.operationId);
  const media = (content: unknown, isAsked: boolean): Json =>
    mapValues(content as Json, (one, type) => {
      const schema = worded((one as Json).schema as Json, { words, owner });
      const example = isAsked && type === 'application/json' ? withoutRefs(schema, named) : undefined;
      return { ...(one as Json), schema, ...(example !== undefined && { example }) };
    });
  const body = operation.requestBody as Json | undefined;
  const parameters = (operation.parameters as Json[]).map((one) => parameterWith(one, words, owner));
  return {
    ...operation,
    description: operationText(operation, words.get(owner)?.text, shared),
    parameters,
    ...(body && { requestBody: { ...body, content: media(body.content, true) } }),
    responses: mapValues(operation.responses as Json, (one) => {
      const response = one as Json;
      return response.content ? { ...response, content: media(response.content, false) } : response;
    }),
  };
}

const mapValues = (object: Json, change: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
