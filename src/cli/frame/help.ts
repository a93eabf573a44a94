import { findConfigKey } from '#kernel/config/table.ts';
import { exitMeanings, exits } from './exits.ts';
import { globalOptions, rootOptions } from './globals.ts';
import type { CommandSpec, OptionSpec } from './shape.ts';
import { takesDryRun } from './shape.ts';
import type { CommandNode } from './tree.ts';

const marks = {
  O: 'offline',
  L: 'on the local database',
  R: 'remote with --server or --profile',
  S: 'through the running server',
} as const;

/** Global flags of commands that run on a remote server. */
const FOR_A_SERVER: readonly string[] = ['server', 'profile', 'api-key-file'];

/** Help of a group, of a command, or of the whole program: examples first, then flags (cli.md section 1.6). */
export function renderHelp(node: CommandNode): string {
  const sections = node.spec === undefined ? groupSections(node) : commandSections(node, node.spec);
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function groupSections(node: CommandNode): string[] {
  const isRoot = node.path === '';
  const usage = `Usage: appctl ${isRoot ? '' : `${node.path} `}<command> [flags]`;
  if (!isRoot)
    return [
      node.summary,
      usage,
      aliasLine(node),
      childList(node),
      `Help on one: appctl ${node.path} <command> --help`,
    ];
  return [
    `appctl: ${node.summary}`,
    'Examples:\n  appctl serve\n  appctl setup\n  appctl help license mint',
    usage,
    childList(node),
    titled('Global flags', [...globalOptions, ...rootOptions].map(optionLine)),
    'Help on one: appctl <command> --help. Every command: appctl --map. Manual: appctl help topics',
  ];
}

function commandSections(node: CommandNode, spec: CommandSpec): string[] {
  return [
    `appctl ${spec.path}: ${spec.summary}`,
    spec.description ?? '',
    `Examples:\n${spec.examples.map((line) => `  ${line}`).join('\n')}`,
    usageLine(spec),
    aliasLine(node),
    titled(
      'Arguments',
      (spec.args ?? []).map((arg) => [arg.name.toUpperCase(), withChoices(arg.summary, arg.choices)]),
    ),
    titled('Flags', (spec.options ?? []).map(optionLine)),
    node.children.size > 0 ? childList(node) : '',
    titled('Global flags', globalOptions.filter((option) => applies(option, spec)).map(optionLine)),
    `Runs: ${spec.runs.map((mark) => marks[mark]).join(', ')}`,
    titled('Exit codes', exitLines(spec)),
  ];
}

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

function applies(option: OptionSpec, spec: CommandSpec): boolean {
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

function optionLine(option: OptionSpec): [string, string] {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  const row = option.config === undefined ? undefined : findConfigKey(option.config);
  const preset = option.default ?? (option.value === undefined ? undefined : row?.default);
  const notes = [
    row === undefined ? '' : row.env,
    preset === undefined || preset === null || preset.includes('{origin}') ? '' : `default ${preset}`,
    option.required ? 'required' : '',
    option.repeat ? 'may be repeated' : '',
    option.aliases === undefined ? '' : `also --${option.aliases.join(', --')}`,
  ].filter((note) => note !== '');
  const summary = withChoices(option.summary, option.choices);
  return [`${short}${flagText(option)}`, notes.length === 0 ? summary : `${summary} (${notes.join('; ')})`];
}

function withChoices(summary: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? summary : `${summary}: ${choices.join(', ')}`;
}

function exitLines(spec: CommandSpec): [string, string][] {
  const usesDatabase = spec.runs.includes('L') || spec.runs.includes('R');
  const usesServer = spec.runs.includes('R') ? [exits.denied] : [];
  const ofTheWay = usesDatabase ? [exits.unreachable] : [];
  const codes = new Set([0, 1, 2, ...usesServer, ...ofTheWay, ...(spec.exits ?? []), 78]);
  return [...codes].sort((a, b) => a - b).map((code) => [String(code), exitMeanings[code] ?? '']);
}

function childList(node: CommandNode): string {
  const children = [...node.children.values()].filter((child) => !child.spec?.hidden);
  const names = [...node.children.keys()].filter((name) => !node.children.get(name)?.spec?.hidden);
  return titled(
    'Commands',
    children.map((child, index) => [names[index] ?? '', child.spec?.summary ?? child.summary]),
  );
}

function titled(title: string, lines: readonly (readonly [string, string])[]): string {
  if (lines.length === 0) return '';
  const width = Math.max(...lines.map(([left]) => left.length));
  return [`${title}:`, ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd())].join(
    '\n',
  );
}
