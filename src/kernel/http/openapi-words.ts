import { listAssets, readAsset } from '../assets.ts';
import { openApi } from './openapi.ts';
import { exampleFor, isPlain, withoutRefs } from './openapi-examples.ts';
import { operationText, resolved } from './openapi-facts.ts';
import type { Surface } from './surface.ts';

type Json = Record<string, unknown>;

/** What documents say of a field or a schema: a text, and a value such as one meets. */
export interface Word {
  readonly text: string;
  readonly example?: unknown;
}

/**
 * By `Schema.field`, `operationId.field`, `field` or `Schema`; the first one that exists counts. A field inside another
 * one has its place too: `Schema.customer.id` before `Schema.id`, and `customer.id` before `id`. So has a parameter,
 * before the name alone: `query.field`, which the filter of a bulk action shares, and in a path the word before it,
 * `licenses/{id}`. `operationId.body` is a body that has no name of its own.
 */
export type Words = ReadonlyMap<string, Word>;

const FOLDER = 'templates/api-docs/fields';

/** Words of a surface: those that all share, then its own, which win; those of a large one lie in a file for each area. */
const wordsOf = (surface: string): Words =>
  readWords([`${FOLDER}/shared.tsv`, ...wordFilesOf(surface)].map(textOf));

/** `store.tsv`, `store-orders.tsv` and so on. */
export const wordFilesOf = (surface: string): string[] =>
  listAssets(FOLDER).filter((key) => new RegExp(`/${surface}(-[a-z]+)?\\.tsv$`).test(key));

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
  const given = parameters as Json;
  const shared = mapValues(given, (one) => {
    const { in: place, name } = one as Json;
    return parameterWith(one as Json, words, [`${place}.${name}`, String(name)]);
  });
  const paths = mapValues(document.paths as Json, (item, path) =>
    mapValues(item as Json, (operation) =>
      operationWith(operation as Json, { words, named, given, shared, path }),
    ),
  );
  // One that each operation words for itself is shared by none of them.
  const text = JSON.stringify(paths);
  const left = Object.entries(shared).filter(([name]) => text.includes(`"#/components/parameters/${name}"`));
  return {
    ...document,
    paths,
    components: { schemas: named, parameters: Object.fromEntries(left), ...components },
  };
}

/** Where a schema stands: in the component or operation `owner`, as a field that has one of `names` in the words. */
type Place = {
  readonly words: Words;
  readonly owner: string;
  readonly names?: readonly string[];
  /** The field that holds it. */
  readonly inside?: string;
};

/** What a field may be called in the words, the closest first. */
const namesOf = (field: string, { owner, inside }: Place): string[] => [
  ...(inside === undefined ? [] : [`${owner}.${inside}.${field}`]),
  `${owner}.${field}`,
  ...(inside === undefined ? [] : [`${inside === 'filter' ? 'query' : inside}.${field}`]),
  field,
];

const first = (words: Words, names: readonly string[]): Word | undefined =>
  names.map((name) => words.get(name)).find((word) => word !== undefined);

function worded(schema: Json, place: Place): Json {
  if (typeof schema.$ref === 'string') return schema;
  const { words, owner, names = [owner] } = place;
  const word = first(words, names);
  const inner: Json = { ...schema };
  if (schema.properties)
    inner.properties = mapValues(schema.properties as Json, (one, field) =>
      worded(one as Json, { words, owner, names: namesOf(field, place), inside: field }),
    );
  for (const key of ['items', 'additionalProperties', 'not'])
    if (typeof schema[key] === 'object' && schema[key] !== null)
      inner[key] = worded(schema[key] as Json, { ...place, names: names.map((name) => `${name}[]`) });
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    if (Array.isArray(schema[key]))
      inner[key] = schema[key].map((one: Json) => worded(one, { ...place, names: [] }));
  const description = saidOf(schema.description as string | undefined, word);
  const example = isPlain(schema) ? exampleFor(schema, word?.example) : word?.example;
  return {
    ...inner,
    ...(description !== undefined && { description }),
    ...(example !== undefined && schema.example === undefined && { example }),
  };
}

/** What a schema says itself stays; where that is but a bound, it comes after the words. */
const saidOf = (own: string | undefined, word: Word | undefined): string | undefined => {
  if (own === undefined) return word?.text;
  return word && own.startsWith('At most ') ? `${word.text}. ${own}` : own;
};

function parameterWith(parameter: Json, words: Words, names: readonly string[]): Json {
  const schema = worded(parameter.schema as Json, { words, owner: '', names });
  const { description, example, ...rest } = schema;
  return {
    ...parameter,
    ...(parameter.description === undefined && description !== undefined && { description }),
    schema: rest,
    ...(example !== undefined && { example }),
  };
}

type Parts = {
  readonly words: Words;
  readonly named: Json;
  readonly given: Json;
  readonly shared: Json;
  readonly path: string;
};

/** A parameter of an operation; a shared one stays so unless the operation or its path has words for it. */
function parameterOf(parameter: Json, owner: string, { words, given, path }: Parts): Json {
  const whole = resolved(parameter, given);
  const { in: place, name } = whole;
  const parts = path.split('/');
  const before = parts.at(parts.indexOf(`{${name}}`) - 1);
  const own = [`${owner}.${name}`, ...(place === 'path' ? [`${before}/{${name}}`] : [])];
  if (parameter !== whole && !first(words, own)) return parameter;
  return parameterWith(whole, words, [...own, `${place}.${name}`, String(name)]);
}

function operationWith(operation: Json, parts: Parts): Json {
  const { words, named, shared } = parts;
  const owner = String(operation.operationId);
  const media = (content: unknown, isAsked: boolean): Json =>
    mapValues(content as Json, (one, type) => {
      const names = isAsked ? [`${owner}.body`] : [];
      const schema = worded((one as Json).schema as Json, { words, owner, names });
      const example = isAsked && type === 'application/json' ? withoutRefs(schema, named) : undefined;
      return { ...(one as Json), schema, ...(example !== undefined && { example }) };
    });
  const body = operation.requestBody as Json | undefined;
  const parameters = (operation.parameters as Json[]).map((one) => parameterOf(one, owner, parts));
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
