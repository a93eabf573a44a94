// A document as its readers see it: what it refers to stands in its place.
type Json = Record<string, unknown>;

/**
 * The document with every reference to a component replaced by the component.
 *
 * @throws Error for a reference that leads nowhere, and for one with fields beside it
 */
export function resolved(document: Json): Json {
  const look = (value: unknown, above: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => look(one, above));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as Json;
    if (typeof $ref !== 'string') {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, look(one, above)]));
    }
    if (Object.keys(rest).length > 0) throw new Error(`${$ref} has fields beside it`);
    // A tree: what stands inside itself was resolved on the level above.
    return above.includes($ref) ? {} : look(found(document, $ref), [...above, $ref]);
  };
  const { components, ...rest } = document;
  return { ...(look(rest, []) as Json), components };
}

function found(document: Json, reference: string): unknown {
  const component = reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((node, name) => (node as Json | undefined)?.[name], document);
  if (component === undefined) throw new Error(`${reference} leads nowhere`);
  return component;
}
