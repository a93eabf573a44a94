import { homedir } from 'node:os';
import { type Cli, createCli } from './context.ts';
import { placeIn } from './placed.ts';

/**
 * The handle that a line which is still being typed would have: for the installation or server that it names. It asks
 * nothing and says nothing.
 *
 * @param words before the one that is completed
 * @param patienceSeconds how long it waits for a server
 */
export function cliOfTyped(cli: Cli, words: readonly string[], patienceSeconds: number): Cli {
  const place = [...placeIn(words)].map(([name, word]) => [name, asShellReads(word, cli)] as const);
  const options = new Map<string, string | true>([
    ...place,
    ['quiet', true],
    ['no-input', true],
    ['timeout', String(patienceSeconds)],
  ]);
  // What was typed, for a value that depends on the words before it.
  const args = new Map([['words', cli.argumentList('words')]]);
  return createCli(cli.tree, { ...cli.spec, runs: ['L', 'R'] }, { args, options }, cli.io);
}

/** A shell hands words over as they were typed. */
function asShellReads(word: string, { io }: Cli): string {
  const quoted = /^(["'])(.*)\1$/s.exec(word)?.[2];
  return quoted ?? word.replace(/^~(?=\/)/, io.env.HOME || homedir());
}
