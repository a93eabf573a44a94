import type { globalRegistry, z } from 'zod';
import { nearest } from '#kernel/edit-distance.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import { visibleSpecs } from '../frame/map.ts';
import { resolveCommand } from '../frame/tree.ts';

/** OpenAPI documents by the names that people ask for them, with the surface of each. */
const DOCUMENTS = {
  'openapi-license': 'licensing',
  'openapi-admin': 'admin',
  'openapi-store': 'store',
} as const;

const isDocument = (word: string): word is keyof typeof DOCUMENTS => Object.hasOwn(DOCUMENTS, word);

/** `appctl schema [COMMAND|DOCUMENT]`: always JSON. */
export async function printSchema(cli: Cli): Promise<void> {
  const words = cli
    .argumentList('command')
    .flatMap((word) => word.split(/\s+/))
    .filter((word) => word !== '');
  const [word = '', ...others] = words;
  if (isDocument(word) && others.length === 0) {
    const { documentOf } = await import('../../app/documents.ts');
    const document = documentOf(DOCUMENTS[word]);
    return cli.out.value(document, () => JSON.stringify(document, null, 2));
  }
  if (words.length === 0) {
    const commands = [...withSchema(cli), ...Object.keys(DOCUMENTS)];
    return cli.out.value({ commands }, () => commands.join('\n'));
  }
  const { node, rest, unknown } = resolveCommand(cli.tree, words);
  const { spec } = node;
  if (unknown !== undefined || spec === undefined || rest.length > 0) throw unknownName(cli, words.join(' '));
  if (spec.output === undefined) {
    throw notFoundError(`appctl ${spec.path} prints no JSON`, 'appctl schema lists the commands that do');
  }
  const [schema, { z }] = await Promise.all([spec.output(), import('zod')]);
  const document = commandSchema(z, schema);
  await cli.out.value(document, () => JSON.stringify(document, null, 2));
}

/**
 * JSON Schema of an answer. What views say for the documents of the APIs is left out: a script wants one whole schema
 * with every pattern.
 */
export const commandSchema = ({ registry, toJSONSchema }: typeof z, schema: z.ZodType): object =>
  toJSONSchema(schema, { metadata: registry() as unknown as typeof globalRegistry });

function withSchema(cli: Cli): string[] {
  return visibleSpecs(cli.tree)
    .filter((spec) => spec.output !== undefined)
    .map((spec) => spec.path);
}

function unknownName(cli: Cli, name: string) {
  const known = withSchema(cli);
  const below = known
    .filter((path) => path.startsWith(`${name} `))
    .map((path) => path.slice(name.length + 1));
  if (below.length > 0)
    return notFoundError(
      `appctl ${name} needs a subcommand: ${below.join(', ')}`,
      `appctl schema ${name} ${below[0]}`,
    );
  const meant = nearest(name, known);
  const hint =
    meant === undefined ? 'appctl schema lists the commands' : `did you mean appctl schema ${meant}?`;
  return notFoundError(`unknown command '${name}'`, hint);
}

/** Offers the commands that have a schema. */
export async function completeSchemaNames(cli: Cli): Promise<readonly string[]> {
  return [...withSchema(cli), ...Object.keys(DOCUMENTS)];
}
