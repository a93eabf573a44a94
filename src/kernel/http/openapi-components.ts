import { z } from 'zod';

type Json = Record<string, unknown>;

/** Named schemas of one document: each is written once, however many operations speak of it. */
export interface SchemaComponents {
  /**
   * JSON Schema of a schema; what has an id (`.meta({ id })`) becomes a component and is referred to.
   *
   * @throws Error for two different schemas of one id
   */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json;
  /** All that were met, in the order of their names. */
  all(): Json;
}

/** @param given components that the document has in any case */
export function schemaComponents(given: Readonly<Record<string, unknown>>): SchemaComponents {
  const named = new Map<string, unknown>(Object.entries(given));
  const keep = (name: string, schema: unknown): void => {
    const known = named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas are called ${name}`);
    named.set(name, schema);
  };
  return {
    schemaOf(schema, io) {
      // Inside another one, because zod gives no name to the outermost.
      const whole = z.toJSONSchema(z.object({ schema }), {
        target: 'openapi-3.0',
        io,
        unrepresentable: 'any',
        override: ({ jsonSchema }) => allowNull(jsonSchema as Json),
      });
      const { properties, definitions = {} } = pointed(whole) as { properties: Json; definitions?: Json };
      for (const [name, one] of Object.entries(definitions)) keep(name, one);
      return properties.schema as Json;
    },
    all: () => Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

const POINTER = '#/definitions/';

/** The same with every pointer to a definition as one to a component. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, allOf, ...rest } = value as Json;
  if (typeof $ref === 'string' && $ref.startsWith(POINTER))
    return { $ref: `#/components/schemas/${$ref.slice(POINTER.length)}` };
  // What may be left out is pointed to through a list of one.
  if (Array.isArray(allOf) && allOf.length === 1 && Object.keys(rest).length === 0) return pointed(allOf[0]);
  const schema = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, pointed(one)]));
  // `nullable` counts beside a type only (OpenAPI 3.0.3); what has a name is an object.
  return rest.nullable === true && allOf !== undefined ? { type: 'object', ...schema } : schema;
}

/** `nullable` alone does not admit null where an enum lists the values (OpenAPI 3.0.3, proposal 2019-10-31). */
function allowNull(schema: Json): void {
  const values = schema.enum;
  if (schema.nullable === true && Array.isArray(values) && !values.includes(null))
    schema.enum = [...values, null];
}

type Operation = Json & { parameters: Json[]; responses: Json };
type Paths = Readonly<Record<string, Json>>;
type Shared = Record<'parameters' | 'responses', Json>;

/**
 * Moves parameters and refusals that several operations have into components. Bodies and answers stay where they are:
 * generators of clients look for their media type there, and do not follow a pointer.
 *
 * @param paths of a document; their operations are changed
 * @returns the components of each kind
 */
export function shareRepeated(paths: Paths): Shared {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
  const parameters = shared(
    'parameters',
    operations.flatMap((one) => one.parameters),
    (one) => inWords([String(one.in), String(one.name)]),
  );
  const responses = shared(
    'responses',
    operations.flatMap((one) => Object.values(one.responses) as Json[]),
    refusalName,
  );
  for (const one of operations) {
    one.parameters = one.parameters.map(parameters.refer);
    one.responses = Object.fromEntries(
      Object.entries(one.responses).map(([status, response]) => [status, responses.refer(response as Json)]),
    );
  }
  return { parameters: parameters.components, responses: responses.components };
}

/** A refusal is called after its codes; what has none, an answer, stays where it is. */
function refusalName(response: Json): string {
  const description = String(response.description);
  const codes = [...description.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => String(code));
  return inWords(codes);
}

/** @param nameOf names a component; what has an empty name stays where it is */
function shared(kind: string, all: readonly Json[], nameOf: (one: Json) => string) {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(JSON.stringify(one), (counts.get(JSON.stringify(one)) ?? 0) + 1);
  const names = new Map<string, string>();
  const components: Json = {};
  for (const one of all) {
    const [text, wanted] = [JSON.stringify(one), nameOf(one)];
    if ((counts.get(text) ?? 0) < 2 || wanted === '' || names.has(text)) continue;
    const name = free(components, wanted);
    names.set(text, name);
    components[name] = one;
  }
  const refer = (one: Json): Json => {
    const name = names.get(JSON.stringify(one));
    return name === undefined ? one : { $ref: `#/components/${kind}/${name}` };
  };
  return { components, refer };
}

/** The name itself, or with the first number from 2 that is free. */
function free(taken: Json, wanted: string): string {
  if (!(wanted in taken)) return wanted;
  let number = 2;
  while (`${wanted}${number}` in taken) number += 1;
  return `${wanted}${number}`;
}

/** `header x-tenant` becomes HeaderXTenant, `NOT_FOUND` NotFound. */
const inWords = (texts: readonly string[]): string =>
  texts
    .flatMap((text) => text.toLowerCase().split(/[^a-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
