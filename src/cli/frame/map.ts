import { findConfigKey } from '#kernel/config/table.ts';
import { globalOptions } from './globals.ts';
import type { CommandSpec, OptionSpec } from './shape.ts';
import { takesDryRun } from './shape.ts';
import type { CommandNode, CommandTree } from './tree.ts';

export type MapFormat = 'tree' | 'paths' | 'json';

/** Prints every command as an indented tree, as one path per line, or as JSON with flags and arguments. */
export function renderMap(tree: CommandTree, format: MapFormat): string {
  const specs = visibleSpecs(tree);
  if (format === 'paths') return specs.map((spec) => `${spec.path}\n`).join('');
  if (format === 'tree') return `appctl\n${treeLines(tree.root, '')}`;
  const document = { globals: globalOptions.map(describeOption), commands: specs.map(describeCommand) };
  return `${JSON.stringify(document)}\n`;
}

/** Returns the commands that help and the map show. */
export function visibleSpecs(tree: CommandTree): CommandSpec[] {
  return tree.specs.filter((spec) => !spec.hidden);
}

/** Returns the words that may follow a node, without what help leaves out. */
export function visibleChildren(node: CommandNode): string[] {
  return [...node.children].filter(([, child]) => !child.spec?.hidden).map(([word]) => word);
}

function treeLines(node: CommandNode, indent: string): string {
  return [...node.children]
    .filter(([, child]) => !child.spec?.hidden)
    .map(([word, child]) => {
      const summary = child.spec?.summary ?? child.summary;
      return `${`${indent}  ${word}`.padEnd(28)}  ${summary}`
        .trimEnd()
        .concat('\n', treeLines(child, `${indent}  `));
    })
    .join('');
}

function describeCommand(spec: CommandSpec) {
  return {
    path: spec.path,
    aliases: spec.aliases ?? [],
    summary: spec.summary,
    runs: spec.runs,
    args: (spec.args ?? []).map(({ name, summary, optional, variadic, choices }) => ({
      name,
      summary,
      optional: optional === true,
      variadic: variadic === true,
      choices: choices ?? null,
    })),
    options: (spec.options ?? []).map(describeOption),
    confirm: spec.confirm ?? null,
    dryRun: takesDryRun(spec),
    stream: spec.stream ?? null,
    schema: spec.output !== undefined,
    exits: spec.exits ?? [],
  };
}

function describeOption(option: OptionSpec) {
  const row = option.config === undefined ? undefined : findConfigKey(option.config);
  return {
    name: option.name,
    short: option.short ?? null,
    value: option.value ?? null,
    summary: option.summary,
    choices: option.choices ?? null,
    required: option.required === true,
    repeat: option.repeat === true,
    default: option.default ?? (option.value === undefined ? null : (row?.default ?? null)),
    env: row?.env ?? null,
  };
}
