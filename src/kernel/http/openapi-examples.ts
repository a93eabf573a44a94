type Json = Record<string, unknown>;

const PLAIN: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

/** Whether a schema describes one value, or a list of such values: what an example is written at itself. */
export const isPlain = (schema: Json): boolean =>
  PLAIN.has(schema.type) || (schema.type === 'array' && isPlain((schema.items ?? {}) as Json));

/** Values of the formats that documents name. */
const OF_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-11-28T09:30:00.000Z',
  date: '2026-11-28',
  email: 'ann@example.com',
  uri: 'https://example.com',
};

/**
 * An example of a plain schema: the given one where it fits, else one that follows from the schema; undefined where
 * nothing does.
 */
export function exampleFor(schema: Json, given: unknown): unknown {
  if (given !== undefined && fits(schema, given)) return given;
  if (schema.type === 'array') {
    const one = exampleFor(schema.items as Json, Array.isArray(given) ? given[0] : given);
    return one === undefined ? undefined : [one];
  }
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema);
  const value = OF_FORMAT[String(schema.format)];
  return value !== undefined && fits(schema, value) ? value : undefined;
}

function numberOf(schema: Json): unknown {
  const {
    minimum = 0,
    exclusiveMinimum,
    maximum = Number.POSITIVE_INFINITY,
  } = schema as Record<string, number>;
  const least = Math.max(Number(minimum) + (exclusiveMinimum ? 1 : 0), 1);
  return least <= Number(maximum) ? least : maximum;
}

/** Whether a plain value keeps to its schema. */
function fits(schema: Json, value: unknown): boolean {
  if (value === null) return schema.nullable === true;
  if (schema.type === 'array')
    return Array.isArray(value) && value.every((one) => fits((schema.items ?? {}) as Json, one));
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (schema.type === 'boolean') return typeof value === 'boolean';
  if (schema.type === 'string') return typeof value === 'string' && fitsText(schema, value);
  if (typeof value !== 'number' || (schema.type === 'integer' && !Number.isInteger(value))) return false;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema as Record<
    string,
    number
  >;
  return value >= Number(minimum) && value <= Number(maximum);
}

function fitsText(schema: Json, value: string): boolean {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as Record<string, number>;
  if (value.length < Number(minLength) || value.length > Number(maxLength)) return false;
  if (schema.format === 'date-time' && !/^\d{4}-\d\d-\d\dT/.test(value)) return false;
  return typeof schema.pattern !== 'string' || new RegExp(schema.pattern, 'u').test(value);
}

/** How deep an example goes: what holds things of its own kind has no end. */
const DEEPEST = 6;

/**
 * A whole value as one would send it: what a body requires, or, where it requires nothing, its first field.
 *
 * @param named the document's schemas, by the names that it refers to
 * @returns undefined where something required has no example
 */
export function withoutRefs(schema: Json, named: Json, depth = 0): unknown {
  if (depth > DEEPEST) return undefined;
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return withoutRefs((named[name] ?? {}) as Json, named, depth + 1);
  }
  if (schema.example !== undefined) return schema.example;
  for (const key of ['oneOf', 'anyOf'])
    if (Array.isArray(schema[key])) return withoutRefs(schema[key][0] as Json, named, depth + 1);
  if (Array.isArray(schema.allOf))
    return Object.assign({}, ...schema.allOf.map((one: Json) => withoutRefs(one, named, depth + 1)));
  if (schema.type === 'array') {
    const one = withoutRefs((schema.items ?? {}) as Json, named, depth + 1);
    return one === undefined ? undefined : [one];
  }
  if (!schema.properties) return schema.type === 'object' ? {} : undefined;
  const properties = Object.entries(schema.properties as Record<string, Json>);
  const required = new Set(schema.required as string[] | undefined);
  const wanted =
    required.size > 0 ? properties.filter(([name]) => required.has(name)) : properties.slice(0, 1);
  return Object.fromEntries(wanted.map(([name, one]) => [name, withoutRefs(one, named, depth + 1)]));
}
