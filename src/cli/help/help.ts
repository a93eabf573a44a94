import { nearest } from '#kernel/edit-distance.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { renderHelp } from '../frame/help.ts';
import { resolveCommand } from '../frame/tree.ts';

/** `appctl help [COMMAND]`: the same text as `appctl COMMAND --help`. */
export async function printHelp(cli: Cli): Promise<void> {
  const words = cli.argumentList('command');
  const { node, rest, unknown } = resolveCommand(cli.tree, words);
  const wrong = unknown ?? rest[0];
  if (wrong !== undefined) {
    const meant = nearest(wrong, node.children.keys());
    const hint = meant === undefined ? 'appctl --map prints every command' : `did you mean ${meant}?`;
    throw usageError(`unknown command '${words.join(' ')}'`, hint);
  }
  cli.out.raw(renderHelp(node));
}
