import { complete } from '../frame/complete.ts';
import type { Cli } from '../frame/context.ts';

/** Prints one candidate per line, a tab and its summary after it; the line `:files` asks the shell for file names. */
export async function completeWords(cli: Cli): Promise<void> {
  const typed = [...cli.argumentList('words'), ...(cli.flag('new-word') ? [''] : [])];
  const { candidates, files } = await complete(cli.tree, typed, cli);
  const lines = candidates.map(({ word, summary }) => `${word}\t${summary}\n`);
  cli.out.raw([...lines, ...(files ? [':files\n'] : [])].join(''));
}
