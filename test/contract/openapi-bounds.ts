// Which inputs of an OpenAPI document say nothing of how much they take.
type Json = Record<string, unknown>;

const COUNTED: Record<string, readonly string[]> = {
  string: ['maxLength', 'enum', 'format', 'pattern'],
  integer: ['maximum', 'enum'],
  number: ['maximum', 'enum'],
  array: ['maxItems'],
};

/** Every input of a document without a bound, as `post /path field`; bodies in bytes count as bounded. */
export function unboundedInputs(document: Json): string[] {
  const found: string[] = [];
  for (const [path, item] of Object.entries(document.paths as Record<string, Record<string, Json>>)) {
    for (const [method, operation] of Object.entries(item)) {
      const note = (name: string) => void found.push(`${method} ${path} ${name}`);
      for (const { name, schema } of (operation.parameters ?? []) as { name: string; schema: Json }[])
        walk(schema, name, note);
      const { content = {}, description } = (operation.requestBody ?? {}) as {
        content?: Record<string, { schema: Json }>;
        description?: string;
      };
      const json = content['application/json']?.schema;
      if (json) walk(json, '', note);
      if (operation.requestBody && !/at most .*bytes/i.test(description ?? '')) note('the body');
    }
  }
  return found;
}

function walk(schema: Json, name: string, note: (name: string) => void): void {
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => (schema[word] ?? []) as Json[]);
  for (const part of parts) walk(part, name, note);
  const bounds = COUNTED[String(schema.type)];
  if (bounds && !bounds.some((word) => word in schema)) note(name);
  if (schema.type === 'array') walk(schema.items as Json, `${name}[]`, note);
  if (schema.type !== 'object') return;
  const { properties, maxProperties } = schema as {
    properties?: Record<string, Json>;
    maxProperties?: number;
  };
  if (!properties && maxProperties === undefined) note(name);
  for (const [key, value] of Object.entries(properties ?? {})) walk(value, `${name}.${key}`, note);
}
