// Whether a document is OpenAPI 3.0 in structure: the rules of the specification that a generator can break.
type Json = Record<string, unknown>;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Schema Object of OpenAPI 3.0.3, its JSON Schema part and its own fields. */
const KEYWORDS = new Set([
  ...['title', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength'],
  ...['minLength', 'pattern', 'maxItems', 'minItems', 'uniqueItems', 'maxProperties', 'minProperties'],
  ...['required', 'enum', 'type', 'allOf', 'oneOf', 'anyOf', 'not', 'items', 'properties'],
  ...['additionalProperties', 'description', 'format', 'default', 'nullable', 'discriminator', 'readOnly'],
  ...['writeOnly', 'xml', 'externalDocs', 'example', 'deprecated'],
]);
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/** Every fault of a document, with where it is; none for a valid one. */
export function openApiFaults(document: Json): string[] {
  const faults: string[] = [];
  const fault = (where: string, what: string): void => void faults.push(`${where}: ${what}`);
  if (!/^3\.0\.\d+$/.test(String(document.openapi))) fault('openapi', 'is not 3.0.x');
  const { title, version } = (document.info ?? {}) as Json;
  if (typeof title !== 'string' || typeof version !== 'string') fault('info', 'needs title and version');
  const operationIds = new Set<unknown>();
  for (const [path, item] of Object.entries((document.paths ?? {}) as Record<string, Json>)) {
    if (!path.startsWith('/')) fault(path, 'does not begin with a slash');
    for (const [method, operation] of Object.entries(item)) {
      const where = `${method} ${path}`;
      if (!METHODS.includes(method)) fault(where, 'is no method');
      const { operationId } = operation as Json;
      if (operationIds.has(operationId)) fault(where, 'has an operationId of another operation');
      operationIds.add(operationId);
      checkOperation(path, operation as Json, document, (what) => fault(where, what));
    }
  }
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Record<string, unknown> };
  for (const [name, schema] of Object.entries(schemas)) checkSchema(schema, name, document, fault);
  return faults;
}

function checkOperation(path: string, operation: Json, document: Json, fault: (what: string) => void): void {
  const {
    parameters = [],
    requestBody,
    responses = {},
    security = [],
  } = operation as {
    parameters?: { name: string; in: string; required?: boolean; schema: unknown }[];
    requestBody?: Json;
    responses?: Record<string, Json>;
    security?: Record<string, unknown>[];
  };
  const named = parameters.filter((one) => one.in === 'path').map((one) => one.name);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  if (JSON.stringify(named) !== JSON.stringify(inPath)) fault('parameters and path differ');
  const places = parameters.map((one) => `${one.in} ${one.name}`);
  if (new Set(places).size !== places.length) fault('a parameter is given twice');
  for (const one of parameters) {
    if (one.in === 'path' && one.required !== true) fault(`path parameter ${one.name} is not required`);
    checkSchema(one.schema, one.name, document, (where, what) => fault(`${where} ${what}`));
  }
  if (Object.keys(responses).length === 0) fault('has no response');
  for (const [status, response] of Object.entries(responses)) {
    if (!/^(?:[1-5]\d\d|default)$/.test(status)) fault(`${status} is no status`);
    if (typeof response.description !== 'string') fault(`response ${status} has no description`);
  }
  for (const body of [requestBody, ...Object.values(responses)]) {
    for (const media of Object.values((body?.content ?? {}) as Record<string, Json>)) {
      checkSchema(media.schema, 'body', document, (where, what) => fault(`${where} ${what}`));
    }
  }
  const { securitySchemes = {} } = document.components as { securitySchemes?: Json };
  for (const name of security.flatMap((one) => Object.keys(one))) {
    if (!Object.hasOwn(securitySchemes, name)) fault(`security scheme ${name} is not declared`);
  }
}

type Fault = (where: string, what: string) => void;

function checkSchema(schema: unknown, where: string, document: Json, fault: Fault): void {
  if (typeof schema !== 'object' || schema === null) return void fault(where, 'is no schema');
  const { $ref, ...rest } = schema as Json & { $ref?: string };
  if ($ref !== undefined) {
    if (Object.keys(rest).length > 0) fault(where, 'has fields beside $ref');
    if (resolve($ref, document) === undefined) fault(where, `${$ref} leads nowhere`);
    return;
  }
  for (const keyword of Object.keys(rest)) {
    if (!KEYWORDS.has(keyword) && !keyword.startsWith('x-')) fault(where, `${keyword} is not of OpenAPI 3.0`);
  }
  checkKeywords(rest, where, fault);
  for (const [name, child] of childrenOf(rest)) checkSchema(child, `${where}.${name}`, document, fault);
}

function checkKeywords(schema: Json, where: string, fault: Fault): void {
  const { type, items, exclusiveMinimum, exclusiveMaximum, nullable, required, pattern } = schema;
  if (type !== undefined && !TYPES.includes(type as string)) fault(where, `type ${JSON.stringify(type)}`);
  if (type === 'array' && items === undefined) fault(where, 'is an array without items');
  for (const [name, flag] of Object.entries({ exclusiveMinimum, exclusiveMaximum, nullable })) {
    if (flag !== undefined && typeof flag !== 'boolean') fault(where, `${name} must be a flag`);
  }
  if (required !== undefined && (!Array.isArray(required) || required.length === 0))
    fault(where, 'required must be a list that is not empty');
  if (pattern !== undefined) RegExp(pattern as string);
}

function childrenOf(schema: Json): [string, unknown][] {
  const { properties = {}, items, not, additionalProperties } = schema;
  const lists = ['allOf', 'oneOf', 'anyOf'].flatMap((name) =>
    ((schema[name] ?? []) as unknown[]).map((one, index): [string, unknown] => [`${name}.${index}`, one]),
  );
  const single: [string, unknown][] = [
    ['items', items],
    ['not', not],
    ['*', typeof additionalProperties === 'boolean' ? undefined : additionalProperties],
  ];
  return [...Object.entries(properties as Json), ...lists, ...single.filter(([, one]) => one !== undefined)];
}

function resolve(reference: string, document: Json): unknown {
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, name) => (node as Json | undefined)?.[name], document);
}
