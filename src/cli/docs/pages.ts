import { configTable } from '#kernel/config/table.ts';
import { globalOptions, rootOptions } from '../frame/globals.ts';
import {
  applies,
  exitLines,
  flagsText,
  optionNotes,
  usageLine,
  whereItRuns,
  withChoices,
} from '../frame/help.ts';
import type { CommandSpec, OptionSpec } from '../frame/shape.ts';
import { type CommandNode, nodesOf } from '../frame/tree.ts';

/** What stands in a section of a page, for whatever it is written as. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'terms'; readonly terms: readonly Term[] }
  | { readonly kind: 'code'; readonly lines: readonly string[] };

export type Term = readonly [term: string, text: string];

/** A page of the reference. */
export interface ReferencePage {
  /** `appctl-license-mint`. */
  readonly name: string;
  /** Of the man pages. */
  readonly section: 1 | 5;
  /** As it is typed: `appctl license mint`. */
  readonly title: string;
  readonly summary: string;
  /** First word of the command; empty for pages about all of them. */
  readonly group: string;
  readonly sections: readonly { readonly title: string; readonly blocks: readonly Block[] }[];
}

/** Every page: the program, its groups and commands as help shows them, and the configuration file. */
export const referencePages = (root: CommandNode): readonly ReferencePage[] => [
  overview(root),
  ...nodesOf(root)
    .filter(({ path }) => path !== '')
    .map((node) => (node.spec ? commandPage(node, node.spec) : groupPage(node))),
  configPage(),
];

const text = (words: string): Block => ({ kind: 'text', text: words });
const sentence = (words: string): string => {
  const first = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return /[.:]$/.test(first) ? first : `${first}.`;
};

const pageName = (path: string): string => `appctl-${path.replaceAll(' ', '-')}`;

function overview(root: CommandNode): ReferencePage {
  const children = new Map(children1(root));
  const tasks = (root.tasks ?? []).map(({ title, words }) => ({
    title,
    terms: words.flatMap((word): Term[] => {
      const summary = children.get(word);
      return summary === undefined ? [] : [[`appctl ${word}`, sentence(summary)]];
    }),
  }));
  return {
    name: 'appctl',
    section: 1,
    title: 'appctl',
    summary: root.summary.toLowerCase(),
    group: '',
    sections: [
      { title: 'Synopsis', blocks: [text('appctl COMMAND [flags]')] },
      {
        title: 'Description',
        blocks: [
          text(
            'appctl serve starts a server that licenses software and runs a shop, and prints what to do next. Every other command works beside it, on the same data directory. Each command has a page of its own: man appctl-license-mint. appctl help topics lists the manual.',
          ),
        ],
      },
      ...tasks.map(({ title, terms }) => ({ title, blocks: [{ kind: 'terms', terms } as const] })),
      { title: 'Global flags', blocks: [flags([...globalOptions, ...rootOptions])] },
      {
        title: 'Files',
        blocks: [
          {
            kind: 'terms',
            terms: [
              ['appctl.toml', 'The configuration: see appctl.toml(5).'],
              [
                'data/',
                'The data directory: database, master key, bundles, media and backups. See data_dir.',
              ],
            ],
          },
        ],
      },
      seeAlso(['appctl.toml(5)', 'appctl-serve(1)', 'appctl-setup(1)', 'appctl-help(1)']),
    ],
  };
}

const children1 = (node: CommandNode): [string, string][] =>
  [...node.children]
    .filter(([, child]) => !child.spec?.hidden)
    .map(([word, child]) => [word, child.spec?.summary ?? child.summary]);

const flags = (options: readonly OptionSpec[]): Block => ({
  kind: 'terms',
  terms: options.map((option): Term => {
    const notes = optionNotes(option);
    const words = withChoices(option.summary, option.choices);
    return [flagsText(option), sentence(notes.length === 0 ? words : `${words} (${notes.join('; ')})`)];
  }),
});

/** The commands below one, with what they do. */
const termsBelow = (node: CommandNode): Term[] =>
  children1(node).map(([word, summary]) => [`appctl ${node.path} ${word}`, sentence(summary)]);

function groupPage(node: CommandNode): ReferencePage {
  const terms = termsBelow(node);
  return {
    name: pageName(node.path),
    section: 1,
    title: `appctl ${node.path}`,
    summary: node.summary,
    group: node.path.split(' ')[0] ?? '',
    sections: [
      { title: 'Synopsis', blocks: [text(`appctl ${node.path} COMMAND [flags]`)] },
      { title: 'Description', blocks: [text(sentence(node.summary)), ...aliases(node)] },
      { title: 'Commands', blocks: [{ kind: 'terms', terms }] },
      seeAlso([...children1(node).map(([word]) => `${pageName(`${node.path} ${word}`)}(1)`), 'appctl(1)']),
    ],
  };
}

function commandPage(node: CommandNode, spec: CommandSpec): ReferencePage {
  const own = spec.options ?? [];
  const shared = globalOptions.filter((option) => applies(option, spec)).map(({ name }) => `--${name}`);
  const args = (spec.args ?? []).map(
    (arg): Term => [arg.name.toUpperCase(), sentence(withChoices(arg.summary, arg.choices))],
  );
  const below = termsBelow(node);
  return {
    name: pageName(spec.path),
    section: 1,
    title: `appctl ${spec.path}`,
    summary: spec.summary,
    group: spec.path.split(' ')[0] ?? '',
    sections: [
      { title: 'Synopsis', blocks: [text(usageLine(spec).replace('Usage: ', ''))] },
      {
        title: 'Description',
        blocks: [
          text([sentence(spec.summary), spec.description ?? ''].join(' ').trim()),
          ...aliases(node),
          text(whereItRuns(spec)),
        ],
      },
      ...(args.length > 0 ? [{ title: 'Arguments', blocks: [{ kind: 'terms', terms: args } as const] }] : []),
      ...(own.length > 0 ? [{ title: 'Flags', blocks: [flags(own)] }] : []),
      ...(below.length > 0
        ? [{ title: 'Commands', blocks: [{ kind: 'terms', terms: below } as const] }]
        : []),
      { title: 'Global flags', blocks: [text(`${shared.join(', ')}. See appctl(1).`)] },
      {
        title: 'Exit codes',
        blocks: [
          { kind: 'terms', terms: exitLines(spec).map(([code, words]): Term => [code, sentence(words)]) },
        ],
      },
      { title: 'Examples', blocks: [{ kind: 'code', lines: spec.examples }] },
      seeAlso(['appctl(1)', 'appctl.toml(5)']),
    ],
  };
}

const aliases = ({ otherPaths }: CommandNode): Block[] =>
  otherPaths.length === 0 ? [] : [text(`Alias: ${otherPaths.map((path) => `appctl ${path}`).join(', ')}.`)];

const seeAlso = (names: readonly string[]) => ({ title: 'See also', blocks: [text(names.join(', '))] });

/** The configuration file, from the table that reads it. */
function configPage(): ReferencePage {
  const terms = (isOfFile: boolean): Term[] =>
    configTable
      .filter(({ toml }) => (toml === false) !== isOfFile)
      .map((row) => {
        const names = [row.env, ...(row.flags ?? []).map(({ name }) => name)].filter((name) => name !== '');
        const preset =
          row.default === null || row.default.includes('{origin}') ? '' : ` Default: ${row.default}.`;
        const file =
          row.secret === undefined || !isOfFile ? '' : ` ${row.key}_file names a file that holds it.`;
        return [isOfFile ? row.key : row.env, `${row.note}${preset}${file} (${names.join(', ')})`];
      });
  return {
    name: 'appctl.toml',
    section: 5,
    title: 'appctl.toml',
    summary: 'configuration of appctl',
    group: '',
    sections: [
      {
        title: 'Description',
        blocks: [
          text(
            'TOML. A flag wins over a variable, a variable over the file, and the file over the default. Read is the first of: the file that --config or APPCTL_CONFIG names, ./appctl.toml, appctl.toml in the data directory, $XDG_CONFIG_HOME/appctl/appctl.toml, /etc/appctl/appctl.toml. An unknown key ends the program with 78.',
          ),
          text(
            'Each variable has a form with _FILE at its end, which names a file that holds the value. A key with a dot is in the section before the dot: log.level is level in [log]. Switches take on or off, true or false, 1 or 0, yes or no.',
          ),
        ],
      },
      { title: 'Keys', blocks: [{ kind: 'terms', terms: terms(true) }] },
      { title: 'Variables without a key', blocks: [{ kind: 'terms', terms: terms(false) }] },
      {
        title: 'Examples',
        blocks: [
          {
            kind: 'code',
            lines: [
              'appctl config init --full',
              'appctl config check --connect',
              'appctl config show --sources',
            ],
          },
        ],
      },
      seeAlso(['appctl(1)', 'appctl-config-init(1)', 'appctl-config-show(1)', 'appctl-serve(1)']),
    ],
  };
}
