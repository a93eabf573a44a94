import { resolved } from '#kernel/http/openapi-facts.ts';

type Json = Record<string, unknown>;

/**
 * What a document leaves unsaid: each place with neither text nor, for a plain value, an example, as the name that a
 * line of `templates/api-docs/fields` would have.
 */
export function missingWords(document: Json): string[] {
  const { schemas, parameters } = document.components as Record<string, Record<string, Json>>;
  const missing = new Set<string>();
  for (const [name, schema] of Object.entries(schemas ?? {})) walk(schema, name, undefined, missing);
  for (const one of Object.values(parameters ?? {})) parameter(one, 'parameter', missing);
  for (const item of Object.values(document.paths as Record<string, Record<string, Json>>))
    for (const operation of Object.values(item)) operationGaps(operation, missing);
  return [...missing].sort();
}

function operationGaps(operation: Json, missing: Set<string>): void {
  const owner = String(operation.operationId);
  if (!operation.description) missing.add(`${owner}: text`);
  for (const one of operation.parameters as Json[]) parameter(one, owner, missing);
  const body = operation.requestBody as { content: Record<string, Json> } | undefined;
  for (const [type, media] of Object.entries(body?.content ?? {})) {
    walk(media.schema as Json, owner, undefined, missing);
    if (type === 'application/json' && hasGap(media.example)) missing.add(`${owner}: example of its body`);
  }
  for (const response of Object.values(
    operation.responses as Record<string, { content?: Record<string, Json> }>,
  ))
    for (const media of Object.values(response.content ?? {}))
      walk(media.schema as Json, owner, undefined, missing);
}

/** Whether an example, or anything in it, is missing. */
const hasGap = (example: unknown): boolean =>
  example === undefined ||
  (typeof example === 'object' && example !== null && Object.values(example).some(hasGap));

function parameter(one: Json, owner: string, missing: Set<string>): void {
  if (one.$ref !== undefined) return;
  if (!one.description) missing.add(`${owner}.${one.name}: text`);
  if (one.example === undefined && (one.schema as Json).$ref === undefined)
    missing.add(`${owner}.${one.name}: example`);
}

const PLAIN = new Set(['string', 'number', 'integer', 'boolean']);

function walk(schema: Json, owner: string, name: string | undefined, missing: Set<string>): void {
  if (schema.$ref !== undefined) return;
  if (name === undefined && !owner.match(/^(get|post|put|patch|delete)[A-Z]/) && !schema.description)
    missing.add(`${owner}: text`);
  if (name !== undefined) {
    if (!schema.description) missing.add(`${owner}.${name}: text`);
    if (PLAIN.has(String(schema.type)) && schema.example === undefined)
      missing.add(`${owner}.${name}: example`);
  }
  inside(schema, owner, missing);
}

/** What a schema holds: its fields, and those of schemas without a name. */
function inside(schema: Json, owner: string, missing: Set<string>): void {
  for (const [field, one] of Object.entries((schema.properties ?? {}) as Record<string, Json>))
    walk(one, owner, field, missing);
  for (const key of ['items', 'additionalProperties'])
    if (typeof schema[key] === 'object' && schema[key] !== null) inside(schema[key] as Json, owner, missing);
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const one of (schema[key] ?? []) as Json[]) inside(one, owner, missing);
}

/** Every name that a line of words can have in a document. */
export function placesOf(document: Json): Set<string> {
  const places = new Set<string>();
  const add = (schema: unknown, owner: string, inside?: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [field, one] of Object.entries(((schema as Json).properties ?? {}) as Json)) {
      places.add(field).add(`${owner}.${field}`);
      if (inside !== undefined) places.add(`${inside}.${field}`).add(`${owner}.${inside}.${field}`);
      add(one, owner, field);
    }
    for (const one of Object.entries(schema)) if (one[0] !== 'properties') add(one[1], owner, inside);
  };
  const { schemas, parameters } = document.components as Record<string, Record<string, Json>>;
  for (const [name, schema] of Object.entries(schemas ?? {})) {
    places.add(name);
    add(schema, name);
  }
  for (const one of Object.values(parameters ?? {}))
    places.add(String(one.name)).add(`${one.in}.${one.name}`);
  for (const [path, item] of Object.entries(document.paths as Record<string, Record<string, Json>>)) {
    for (const [word] of path.matchAll(/[^/]+\/\{[^}]+\}/g)) places.add(word);
    for (const operation of Object.values(item)) {
      const owner = String(operation.operationId);
      places.add(owner).add(`${owner}.body`);
      for (const given of operation.parameters as Json[]) {
        const one = resolved(given, parameters ?? {});
        places.add(String(one.name)).add(`${one.in}.${one.name}`).add(`${owner}.${one.name}`);
      }
      add({ body: operation.requestBody, responses: operation.responses }, owner);
    }
  }
  return places;
}
