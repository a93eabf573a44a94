import { allTopics } from '#platform/help/index.ts';
import type { Cli } from '../frame/context.ts';
import { visibleChildren } from '../frame/map.ts';
import { resolveCommand } from '../frame/tree.ts';

/** Offers the next word of a command, and as the first word the pages of the manual. */
export async function completeTopics(cli: Cli): Promise<readonly string[]> {
  const typed = cli.argumentList('words').slice(1, -1);
  const { node, unknown } = resolveCommand(cli.tree, typed);
  if (unknown !== undefined) return [];
  const topics = typed.length === 0 ? ['topics', ...allTopics.map(({ topic }) => topic)] : [];
  return [...visibleChildren(node), ...topics];
}
