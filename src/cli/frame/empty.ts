import { globalOptions } from './globals.ts';
import type { CommandSpec } from './shape.ts';
import type { CommandTree } from './tree.ts';

/** Commands that make what the list beside them shows. */
const MAKERS = ['create', 'mint', 'generate'];

/** Options of a list that leave nothing out. */
const NO_FILTERS: readonly string[] = [...globalOptions.map(({ name }) => name), 'page', 'limit', 'sort'];

/**
 * What a person reads where a list has nothing, with the command that shows or makes something.
 *
 * @param given names of the options of the command line
 */
export function emptyWords<C>(tree: CommandTree<C>, spec: CommandSpec<C>, given: readonly string[]): string {
  if (given.some((name) => !NO_FILTERS.includes(name)))
    return `nothing matches these flags; to see everything: appctl ${spec.path}`;
  const group = spec.path.split(' ').slice(0, -1);
  const node = group.reduce((at, word) => at?.children.get(word) ?? at, tree.root);
  const maker = spec.path.endsWith(' list') ? MAKERS.find((word) => node.children.has(word)) : undefined;
  if (maker === undefined) return 'nothing here yet';
  return `nothing here yet; to make the first: appctl ${node.path} ${maker} --help`;
}
