import type { z } from 'zod';
import { nearest } from '#kernel/edit-distance.ts';
import { type CliError, usageError } from './errors.ts';

/** What of a JSON Schema names fields. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape | readonly Shape[];
  readonly additionalProperties?: Shape | boolean;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
}

/** How deep a name may reach into an answer: `customer.email`. */
const DEPTH = 4;

/**
 * Refuses a name of --fields that no answer of the command can have.
 *
 * @param schema of what the command prints with --json
 * @throws usage error (2) that lists the fields
 */
export async function refuseUnknownFields(fields: readonly string[], schema: z.ZodType): Promise<void> {
  const { z } = await import('zod');
  const root = z.toJSONSchema(schema, { unrepresentable: 'any', cycles: 'ref' }) as Shape;
  const known = new Set(namesIn(root, root));
  const unknown = fields.find((field) => !known.has(field) && !reachesIntoOpen(field, root));
  if (unknown !== undefined) throw refused(unknown, known, root);
}

function refused(unknown: string, known: ReadonlySet<string>, root: Shape): CliError {
  const meant = nearest(unknown, known);
  const items = namesIn(itemsOf(root) ?? root, root).filter((name) => !name.includes('.'));
  const list = `its fields: ${[...new Set(items)].join(', ')}`;
  return usageError(
    `--fields: "${unknown}" is not a field of this answer`,
    meant === undefined ? list : `did you mean ${meant}? ${list}`,
  );
}

/** What one row of a list is. */
function itemsOf(root: Shape): Shape | undefined {
  const lists = Object.values(resolved(root, root).properties ?? {}).map((one) => resolved(one, root).items);
  const [only, ...more] = lists.filter((one) => one !== undefined);
  return more.length === 0 && only !== undefined ? [only].flat()[0] : undefined;
}

/** Names that --fields may hold: of the answer and, where it is a list, of its rows. */
function namesIn(shape: Shape, root: Shape, depth = DEPTH): string[] {
  if (depth === 0) return [];
  return partsOf(shape, root).flatMap((part) => [
    ...Object.entries(part.properties ?? {}).flatMap(([name, inner]) => [
      name,
      ...namesIn(inner, root, depth - 1).flatMap((below) => [
        `${name}.${below}`,
        ...rowName(inner, root, below),
      ]),
    ]),
    ...[part.items ?? []].flat().flatMap((one) => namesIn(one, root, depth - 1)),
  ]);
}

/** A field of a row is named without its list. */
const rowName = (inner: Shape, root: Shape, below: string): string[] =>
  partsOf(inner, root).some(({ items }) => items !== undefined) ? [below] : [];

/** Objects whose names nobody declares: metadata, features. */
function reachesIntoOpen(field: string, root: Shape): boolean {
  const [first = '', ...rest] = field.split('.');
  if (rest.length === 0) return false;
  const all = [...partsOf(root, root), ...partsOf(itemsOf(root) ?? {}, root)];
  return all.some(({ properties = {} }) => {
    const inner = properties[first];
    return (
      inner !== undefined &&
      partsOf(inner, root).some(
        (part) => part.additionalProperties !== undefined && part.additionalProperties !== false,
      )
    );
  });
}

function partsOf(shape: Shape, root: Shape): Shape[] {
  const one = resolved(shape, root);
  const inner = [...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])];
  return [one, ...inner.flatMap((part) => partsOf(part, root))];
}

function resolved(shape: Shape, root: Shape): Shape {
  const name = shape.$ref?.replace('#/$defs/', '');
  if (name === undefined) return shape;
  return name === '#' ? root : (root.$defs?.[name] ?? {});
}
