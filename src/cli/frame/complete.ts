import { setTimeout } from 'node:timers/promises';
import { oneLine } from '../printed-text.ts';
import type { Cli } from './context.ts';
import { globalOptions, rootOptions } from './globals.ts';
import type { ArgSpec, OptionSpec } from './spec.ts';
import { type CommandNode, type CommandTree, flagsOf, resolveCommand } from './tree.ts';
import { cliOfTyped } from './typed-place.ts';

/** Nobody waits longer for a key press. */
const PATIENCE_SECONDS = 3;

/** What a shell offers for the word under the cursor. `files`: the shell adds names of files. */
export interface Completion {
  readonly candidates: readonly { readonly word: string; readonly summary: string }[];
  readonly files: boolean;
}

type Candidate = Completion['candidates'][number];
const nothing: Completion = { candidates: [], files: false };

/**
 * Completes a command line: subcommands, flags, values of choices, and values that only the installation knows.
 * @param words words after `appctl`; the last one is the one to complete, possibly empty
 * @param caller the command that completes; the line decides which installation or server is asked
 */
export async function complete(
  tree: CommandTree<Cli>,
  words: readonly string[],
  caller: Cli,
): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const cli = cliOfTyped(caller, before, PATIENCE_SECONDS);
  const { node, rest } = resolveCommand(tree, before);
  const isRoot = node.path === '';
  const options = [...globalOptions, ...(isRoot ? rootOptions : (node.spec?.options ?? []))];
  const joined = /^(--[^=]+)=(.*)$/s.exec(current);
  if (joined !== null) {
    const [, flag = '', text = ''] = joined;
    const found = await valuesOf(valueOption(options, flag), text, cli);
    return { ...found, candidates: found.candidates.map((one) => ({ ...one, word: `${flag}=${one.word}` })) };
  }
  const previous = before.at(-1);
  const taking = previous === undefined ? undefined : valueOption(options, previous);
  if (taking !== undefined) return valuesOf(taking, current, cli);
  if (current.startsWith('-')) return matching(flagCandidates(node, options), current);
  const children = childCandidates(node);
  const argument = argumentAt(node, rest, options);
  if (argument === undefined) return matching(children, current);
  const values = await valuesOf(argument, current, cli);
  return { ...values, candidates: [...matching(children, current).candidates, ...values.candidates] };
}

function valueOption(options: readonly OptionSpec[], flag: string): OptionSpec | undefined {
  return options.find((option) => option.value !== undefined && flagsOf(option).includes(flag));
}

function flagCandidates(node: CommandNode, options: readonly OptionSpec[]): Candidate[] {
  const own = node.spec?.options ?? [];
  const shared = options.filter((option) => !own.includes(option));
  return [...own, ...shared].map((option) => ({ word: `--${option.name}`, summary: option.summary }));
}

function childCandidates(node: CommandNode): Candidate[] {
  return [...node.children]
    .filter(([, child]) => !child.spec?.hidden)
    .map(([word, child]) => ({ word, summary: child.spec?.summary ?? child.summary }));
}

/** Finds the argument that the next word would be. */
function argumentAt(
  node: CommandNode<Cli>,
  rest: readonly string[],
  options: readonly OptionSpec[],
): ArgSpec | undefined {
  const words = rest.filter((word, index) => {
    const previous = rest[index - 1];
    return !word.startsWith('-') && (previous === undefined || valueOption(options, previous) === undefined);
  });
  const args = node.spec?.args ?? [];
  const last = args.at(-1);
  return args[words.length] ?? (last?.variadic ? last : undefined);
}

async function valuesOf(
  spec: OptionSpec | ArgSpec | undefined,
  current: string,
  cli: Cli,
): Promise<Completion> {
  if (spec === undefined) return nothing;
  if (spec.complete === 'file') return { candidates: [], files: true };
  if (spec.choices !== undefined) return matching(plain(spec.choices), current);
  if (spec.complete === undefined) return nothing;
  try {
    const completer = await spec.complete();
    const words = await Promise.race([completer(cli), setTimeout(PATIENCE_SECONDS * 1000, [])]);
    return matching(plain(words), current);
  } catch {
    // A key press must not print the error of a database or server that is away.
    return nothing;
  }
}

function plain(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, summary: '' }));
}

function matching(candidates: readonly Candidate[], current: string): Completion {
  // The shell would write a name that hides something to the terminal, and nobody could have typed it.
  const isSeen = (word: string) => oneLine(word) === word;
  return {
    candidates: candidates.filter(({ word }) => word.startsWith(current) && isSeen(word)),
    files: false,
  };
}
