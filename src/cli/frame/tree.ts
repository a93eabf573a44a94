import { findConfigKey } from '#kernel/config/table.ts';
import { globalOptions, rootOptions } from './globals.ts';
import type { CommandSpec, GroupSpec, OptionSpec } from './shape.ts';

/** A word of the command tree: a command, a group, or both (`setup` and `setup token`). */
export interface CommandNode<C = never> {
  readonly path: string;
  readonly summary: string;
  spec?: CommandSpec<C>;
  readonly children: Map<string, CommandNode<C>>;
  /** Words beside those of the children that lead to a node, which may stand elsewhere in the tree. */
  readonly aliases: Map<string, CommandNode<C>>;
  /** Other paths to this node, in full. */
  readonly otherPaths: string[];
  /** Of the whole program: its words by what somebody wants to do, in the order of help. */
  tasks?: readonly Task[];
}

/** Words of the program that serve one purpose. */
export interface Task {
  readonly title: string;
  readonly words: readonly string[];
}

/** Every command, checked and in the order of its declaration. */
export interface CommandTree<C = never> {
  readonly root: CommandNode<C>;
  readonly specs: readonly CommandSpec<C>[];
}

const secretName = /(^|-)(password|passphrase|secret|token|credential|pin)$/;

/**
 * Builds the tree of commands and checks every declaration.
 * @throws Error when a command breaks a rule of the frame: an option named like a global flag, an option that
 *   takes a secret as its value, two commands with one path, a flag that its configuration key does not know
 */
export function buildTree<C>(
  groups: readonly GroupSpec[],
  specs: readonly CommandSpec<C>[],
  tasks: readonly Task[] = [],
): CommandTree<C> {
  const summaries = new Map(groups.map((group) => [group.path, group.summary]));
  const root = emptyNode<C>('', 'Licenses and a store for people who sell software');
  root.tasks = tasks;
  for (const spec of specs) {
    checkSpec(spec);
    const node = spec.path.split(' ').reduce((parent, word) => childOf(parent, word, summaries), root);
    if (node.spec !== undefined) throw new Error(`two commands are called '${spec.path}'`);
    node.spec = spec;
  }
  for (const { path, aliases } of specs) {
    const parent = path.split(' ').slice(0, -1).join(' ');
    for (const alias of aliases ?? []) addAlias(root, path, `${parent} ${alias}`.trim());
  }
  for (const { path, aliases } of groups) for (const alias of aliases ?? []) addAlias(root, path, alias);
  return { root, specs };
}

function emptyNode<C>(path: string, summary: string): CommandNode<C> {
  return { path, summary, children: new Map(), aliases: new Map(), otherPaths: [] };
}

function childOf<C>(
  parent: CommandNode<C>,
  word: string,
  summaries: ReadonlyMap<string, string>,
): CommandNode<C> {
  const known = parent.children.get(word);
  if (known !== undefined) return known;
  const path = `${parent.path} ${word}`.trim();
  const child = emptyNode<C>(path, summaries.get(path) ?? '');
  parent.children.set(word, child);
  return child;
}

/** A node and all below it, in the order of help, without what help leaves out. */
export const nodesOf = <C>(node: CommandNode<C>): CommandNode<C>[] =>
  node.spec?.hidden ? [] : [node, ...[...node.children.values()].flatMap(nodesOf)];

/** Lets a second path lead to a command or group. @throws Error when the path is taken, or leads nowhere */
function addAlias<C>(root: CommandNode<C>, path: string, alias: string): void {
  const words = alias.split(' ');
  const last = words.pop() ?? '';
  const [node, parent] = [nodeAt(root, path.split(' ')), nodeAt(root, words)];
  if (!node || !parent || parent.children.has(last) || parent.aliases.has(last)) {
    throw new Error(`the alias '${alias}' of '${path}' is taken`);
  }
  parent.aliases.set(last, node);
  noteOtherPath(node, alias);
}

const nodeAt = <C>(root: CommandNode<C>, words: readonly string[]): CommandNode<C> | undefined =>
  words.reduce<CommandNode<C> | undefined>((node, word) => node?.children.get(word), root);

function noteOtherPath<C>(node: CommandNode<C>, path: string): void {
  node.otherPaths.push(path);
  for (const [word, child] of node.children) noteOtherPath(child, `${path} ${word}`);
}

function checkSpec(spec: CommandSpec): void {
  const taken = new Set(globalOptions.flatMap(flagsOf));
  for (const option of spec.options ?? []) {
    for (const flag of flagsOf(option)) {
      if (taken.has(flag)) throw new Error(`'${spec.path}' defines ${flag}, which is taken`);
      taken.add(flag);
    }
    checkOption(spec, option, taken);
  }
  const args = spec.args ?? [];
  for (const [index, arg] of args.entries()) {
    const isLast = index === args.length - 1;
    if (arg.variadic && !isLast) throw new Error(`'${spec.path}': only the last argument may be variadic`);
    if (!isLast && arg.optional && !args[index + 1]?.optional) {
      throw new Error(`'${spec.path}': ${arg.name} is optional but an argument after it is not`);
    }
  }
}

function checkOption(spec: CommandSpec, option: OptionSpec, taken: ReadonlySet<string>): void {
  const flag = `--${option.name}`;
  const positive = option.name.startsWith('no-') ? `--${option.name.slice(3)}` : `--no-${option.name}`;
  if (taken.has(positive)) throw new Error(`'${spec.path}' defines both ${flag} and ${positive}`);
  if (option.value !== undefined && secretName.test(option.name)) {
    throw new Error(`'${spec.path}': ${flag} would take a secret as its value; use secretOptions()`);
  }
  if (option.config === undefined) return;
  const forms = findConfigKey(option.config)?.flags ?? [];
  if (!forms.some((form) => form.name === flag)) {
    throw new Error(`'${spec.path}': the configuration key ${option.config} has no flag ${flag}`);
  }
}

/** Returns the flags of an option as typed: `['--config', '-c']`. */
export function flagsOf({ name, short, aliases = [] }: OptionSpec): string[] {
  return [
    `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
    ...aliases.map((alias) => `--${alias}`),
  ];
}

/** What the words of a command line lead to. */
export interface Resolution<C = never> {
  readonly node: CommandNode<C>;
  /** Everything that is no word of the command's path, in order. */
  readonly rest: string[];
  /** The first word that is neither a command nor an argument of one. */
  readonly unknown?: string;
  /** `-V`, `--version`, `--map` or `--map=json` before the first word. */
  readonly rootFlag?: string;
}

/**
 * Finds the command that a command line names. Flags may stand anywhere between its words.
 * @param argv words after the program's name
 */
export function resolveCommand<C>(tree: CommandTree<C>, argv: readonly string[]): Resolution<C> {
  let node = tree.root;
  const rest: string[] = [];
  let index = 0;
  for (; index < argv.length; index += 1) {
    const token = argv[index]!;
    if (token === '--') break;
    if (token.startsWith('-') && token !== '-') {
      if (node === tree.root && isRootFlag(token)) return { node, rest, rootFlag: token };
      rest.push(token);
      const isValueNext = takesNextWord(token, [...globalOptions, ...(node.spec?.options ?? [])]);
      if (isValueNext && index + 1 < argv.length) {
        index += 1;
        rest.push(argv[index]!);
      }
      continue;
    }
    const child = node.children.get(token) ?? node.aliases.get(token);
    if (child === undefined) {
      if (node.spec === undefined) return { node, rest: [...rest, ...argv.slice(index)], unknown: token };
      break;
    }
    node = child;
  }
  return { node, rest: [...rest, ...argv.slice(index)] };
}

function isRootFlag(token: string): boolean {
  return rootOptions.some(
    (option) =>
      flagsOf(option).includes(token) || (option.optionalValue && token.startsWith(`--${option.name}=`)),
  );
}

/** Whether the word after a flag is its value and can be no command. */
function takesNextWord(token: string, options: readonly OptionSpec[]): boolean {
  if (token.startsWith('--'))
    return options.some((option) => option.value !== undefined && flagsOf(option).includes(token));
  // In a cluster such as -qc the first letter with a value takes what follows it, and the next word if nothing does.
  for (let index = 1; index < token.length; index += 1) {
    const option = options.find((candidate) => candidate.short === token[index]);
    if (option?.value !== undefined) return index === token.length - 1;
  }
  return false;
}
