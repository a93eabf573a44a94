import { findConfigKey } from '#kernel/config/table.ts';
import { exitMeanings, exits } from './exits.ts';
import { globalOptions, rootOptions } from './globals.ts';
import type { CommandSpec, OptionSpec } from './shape.ts';
import { takesDryRun } from './shape.ts';
import type { CommandNode } from './tree.ts';
import { folded, foldedCommand, wrappedTo } from './wrap.ts';

/** Columns of the terminal; undefined where nothing is to be fitted. */
type Width = number | undefined;
type Line = readonly [left: string, right: string];

const marks = {
  O: 'offline',
  L: 'on the local database',
  R: 'remote with --server or --profile',
  S: 'through the running server',
} as const;

/** Global flags of commands that run on a remote server. */
const FOR_A_SERVER: readonly string[] = ['server', 'profile', 'api-key-file'];

/**
 * Help of a group, of a command, or of the whole program: examples first, then flags (cli.md section 1.6).
 *
 * @param stream what it is written to; lines are fitted to a terminal, and whole elsewhere
 */
export function renderHelp(node: CommandNode, stream: NodeJS.WriteStream): string {
  const width = stream.isTTY ? stream.columns || undefined : undefined;
  const sections =
    node.spec === undefined ? groupSections(node, width) : commandSections(node, node.spec, width);
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function groupSections(node: CommandNode, width: Width): string[] {
  if (node.path !== '')
    return [
      wrappedTo(width, node.summary),
      `Usage: appctl ${node.path} <command> [flags]`,
      aliasLine(node),
      titled('Commands', childLines(node), width),
      `Help on one: appctl ${node.path} <command> --help`,
    ];
  return [
    `appctl: ${node.summary}`,
    'Usage: appctl <command> [flags]',
    wrappedTo(width, 'New here? appctl serve starts a server and prints what to do next.'),
    ...taskSections(node, width),
    titled('Global flags', [...globalOptions, ...rootOptions].map(optionLine), width),
    titled(
      'More',
      [
        ['appctl <command> --help', 'help on one command, with examples'],
        ['appctl help topics', 'the manual'],
        ['appctl --map', 'every command in one list'],
      ],
      width,
    ),
  ];
}

/** The commands of the program by what somebody wants to do; those of no task in a list of their own. */
function taskSections(node: CommandNode, width: Width): string[] {
  const lines = new Map(childLines(node).map((line) => [line[0], line]));
  const left = Math.max(...[...lines.keys()].map(({ length }) => length));
  const sections = (node.tasks ?? []).map(({ title, words }) => {
    const own = words.map((word) => lines.get(word)).filter((line) => line !== undefined);
    for (const [word] of own) lines.delete(word);
    return titled(title, own, width, left);
  });
  return [...sections, titled('Commands', [...lines.values()], width, left)];
}

function commandSections(node: CommandNode, spec: CommandSpec, width: Width): string[] {
  const args = (spec.args ?? []).map(
    (arg): Line => [arg.name.toUpperCase(), withChoices(arg.summary, arg.choices)],
  );
  const examples = spec.examples.map((line) => foldedCommand(line, width, '  '));
  return [
    wrappedTo(width, `appctl ${spec.path}: ${spec.summary}`),
    wrappedTo(width, spec.description ?? ''),
    `Examples:\n${examples.join('\n')}`,
    wrappedTo(width, usageLine(spec)),
    aliasLine(node),
    titled('Arguments', args, width),
    titled('Flags', (spec.options ?? []).map(optionLine), width),
    node.children.size > 0 ? titled('Commands', childLines(node), width) : '',
    titled('Global flags', globalOptions.filter((option) => applies(option, spec)).map(optionLine), width),
    whereItRuns(spec),
    titled('Exit codes', exitLines(spec), width),
  ];
}

/** `Runs: offline`. */
export const whereItRuns = (spec: CommandSpec): string =>
  `Runs: ${spec.runs.map((mark) => marks[mark]).join(', ')}`;

/** The usage line of a command, as shell words. */
export function usageLine(spec: CommandSpec): string {
  const args = (spec.args ?? []).map((arg) => {
    const name = `${arg.name.toUpperCase()}${arg.variadic ? '…' : ''}`;
    return arg.optional ? `[${name}]` : name;
  });
  const required = (spec.options ?? []).filter((option) => option.required).map(flagText);
  return ['Usage: appctl', spec.path, ...required, ...args, '[flags]'].join(' ');
}

/** The other ways to type it; `Alias: appctl license create`. */
const aliasLine = ({ otherPaths }: CommandNode): string =>
  otherPaths.length === 0 ? '' : `Alias: ${otherPaths.map((path) => `appctl ${path}`).join(', ')}`;

/** Whether a global flag does something for a command. */
export function applies(option: OptionSpec, spec: CommandSpec): boolean {
  if (option.name === 'dry-run') return takesDryRun(spec);
  if (option.name === 'yes') return spec.confirm === 'moderate';
  if (option.name === 'confirm') return spec.confirm === 'severe';
  if (FOR_A_SERVER.includes(option.name)) return spec.runs.includes('R');
  if (option.name === 'db' || option.name === 'tenant') return !spec.runs.every((mark) => mark === 'O');
  return true;
}

function flagText(option: OptionSpec): string {
  if (option.value === undefined) return `--${option.name}`;
  return option.optionalValue ? `--${option.name}[=${option.value}]` : `--${option.name} ${option.value}`;
}

/** `-f, --follow`, `--lines N`. */
export const flagsText = (option: OptionSpec): string =>
  option.short === undefined ? flagText(option) : `-${option.short}, ${flagText(option)}`;

/** What is said of an option beside its summary: its variable, its default, whether it is required. */
export function optionNotes(option: OptionSpec): string[] {
  const row = option.config === undefined ? undefined : findConfigKey(option.config);
  const preset = option.default ?? (option.value === undefined ? undefined : row?.default);
  return [
    row === undefined ? '' : row.env,
    preset === undefined || preset === null || preset.includes('{origin}') ? '' : `default ${preset}`,
    option.required ? 'required' : '',
    option.repeat ? 'may be repeated' : '',
    option.aliases === undefined ? '' : `also --${option.aliases.join(', --')}`,
  ].filter((note) => note !== '');
}

function optionLine(option: OptionSpec): Line {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  const notes = optionNotes(option);
  const summary = withChoices(option.summary, option.choices);
  return [`${short}${flagText(option)}`, notes.length === 0 ? summary : `${summary} (${notes.join('; ')})`];
}

/** A summary with the values that are allowed. */
export function withChoices(summary: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? summary : `${summary}: ${choices.join(', ')}`;
}

/** The exit codes of a command, with what each means. */
export function exitLines(spec: CommandSpec): Line[] {
  const usesDatabase = spec.runs.includes('L') || spec.runs.includes('R');
  const usesServer = spec.runs.includes('R') ? [exits.denied] : [];
  const ofTheWay = usesDatabase ? [exits.unreachable] : [];
  const codes = new Set([0, 1, 2, ...usesServer, ...ofTheWay, ...(spec.exits ?? []), 78]);
  return [...codes].sort((a, b) => a - b).map((code) => [String(code), exitMeanings[code] ?? '']);
}

const childLines = (node: CommandNode): Line[] =>
  [...node.children]
    .filter(([, child]) => !child.spec?.hidden)
    .map(([word, child]) => [word, child.spec?.summary ?? child.summary]);

/** Room for words that one still likes to read; with less they stand below what they explain. */
const READABLE = 24;

function titled(title: string, lines: readonly Line[], width: Width, least = 0): string {
  if (lines.length === 0) return '';
  const left = Math.max(least, ...lines.map(([text]) => text.length));
  const beside = width === undefined ? Number.POSITIVE_INFINITY : width - left - 4;
  const isBelow = beside < READABLE && width !== undefined;
  const indent = ' '.repeat(isBelow ? 8 : left + 4);
  const entries = lines.map(([name, text]) => {
    const words = folded(text, isBelow ? width - 8 : beside).join(`\n${indent}`);
    return isBelow ? `  ${name}\n${indent}${words}` : `  ${name.padEnd(left)}  ${words}`.trimEnd();
  });
  return [`${title}:`, ...entries].join('\n');
}
