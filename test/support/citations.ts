// What comments, test titles and Markdown cite (rules by their numbers, sections, decision records), and whether it is
// in src/decisions. The forms of a citation are those of src/decisions/README.md.
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import {
  lineOf,
  nodesOf,
  type Rule,
  readSourceTree,
  type SourceFile,
  type SyntaxNode,
} from './source-tree.ts';

/** One citation: what it cites, as its line begins (`D12`, `licensing 6.6`, `decision 0007`), and where it stands. */
export type Citation = { key: string; at: string; within: boolean };

/** `within`: not written out, but between the two ends of a range. */
type Found = { key: string; index: number; within?: boolean };

/** They plant citations that do not resolve, and show the forms of one. */
export const about = ['test/decisions.test.ts', 'test/architecture.test.ts', 'test/support/citations.ts'];

const root = join(import.meta.dirname, '../..');
const RULES = 'src/decisions/rules/';

/** Every file that may cite: the source, its tests, and all Markdown and templates. */
export function readCitingTree(): SourceFile[] {
  const written = globSync(['*.md', '.github/**/*.md', '{src,test,templates,hooks}/**/*.{md,ejs}'], {
    cwd: root,
  })
    .map((file) => file.split(sep).join('/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  return [...readSourceTree(), ...written];
}

/** A rule's line: `- **D12** INVALID_KEY (400) …`. */
const ruleLine = /^- \*\*([^*]+)\*\* (\S.*\.)$/;

/** The rules that src/decisions/rules holds, each with its place; what a list line there says without being a rule. */
export function rulesOf(tree: readonly SourceFile[]): { rules: Map<string, string>; faults: string[] } {
  const rules = new Map<string, string>();
  const faults: string[] = [];
  for (const { file, text } of tree.filter((each) => each.file.startsWith(RULES))) {
    for (const [index, line] of text.split('\n').entries()) {
      const key = ruleLine.exec(line)?.[1];
      const at = `${file}:${index + 1}`;
      if (key === undefined) faults.push(...(/^\s*[-*] /.test(line) ? [`${at} is not a rule: ${line}`] : []));
      else if (rules.has(key)) faults.push(`${at} ${key} is also in ${rules.get(key)}`);
      else rules.set(key, at);
    }
  }
  return { rules, faults };
}

/** Citations without their line in src/decisions/rules or their record, as `file:line D999 has no line in …`. */
export function unresolvedIn(tree: readonly SourceFile[], known: ReadonlySet<string>): string[] {
  return tree
    .flatMap(citationsOf)
    .filter(({ key, within }) => !within && resolved(key, known) === undefined)
    .map(({ key, at }) => `${at} ${key} has no line in src/decisions (its README says how to add one)`);
}

/** Citations of the source resolve: the rule of test/architecture.test.ts, so that no change lands without its lines. */
export const citationsResolve: Rule = (tree) => {
  const cites = readCitingTree();
  const known = [...rulesOf(cites).rules.keys(), ...recordsIn(cites).map((n) => `decision ${n}`)];
  return unresolvedIn(
    tree.filter(({ file }) => !about.includes(file)),
    new Set(known),
  );
};

/** Rules that nothing cites: what they say is said nowhere in the program. */
export function uncitedIn(tree: readonly SourceFile[], known: ReadonlySet<string>): string[] {
  const cited = new Set(
    tree
      .filter(({ file }) => !file.startsWith(RULES))
      .flatMap((file) => citationsOf(file).map(({ key }) => resolved(key, known))),
  );
  return [...known].filter((key) => !cited.has(key));
}

/**
 * Citations in what people may see: every text of the program (help, messages, settings, descriptions of the API), its
 * templates and pages, and the README. `R02` is an argument of `npm run proof` and may be named as such.
 */
export function shownIn(tree: readonly SourceFile[]): string[] {
  return tree.flatMap((file) => {
    if (/^(?:src|bin|migrations)\/.*\.ts$/.test(file.file))
      return nodesOf(file, 'Literal', 'TemplateElement').flatMap((node) =>
        shownBy({ file: file.file, text: textOf(node) }, lineOf(node)),
      );
    return /^(?:templates\/|README\.md$)/.test(file.file) ? shownBy(file, 1) : [];
  });
}

const shownBy = ({ file, text }: SourceFile, line: number): string[] =>
  citationsOf({ file: 'shown.md', text }).flatMap(({ key, at }) =>
    /^R\d/.test(key) ? [] : [`${file}:${line - 1 + Number(at.split(':')[1])} shows ${key}`],
  );

/** What a literal or a part of a template holds; the form of a regular expression is not a text. */
function textOf(node: SyntaxNode): string {
  const value = node.type === 'Literal' ? node.value : (node.value as { cooked?: unknown }).cooked;
  return typeof value === 'string' ? value : '';
}

/** The numbers of the decision records, by their file names. */
export const recordsIn = (tree: readonly SourceFile[]): string[] =>
  tree.flatMap(({ file }) => /^src\/decisions\/(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1] ?? []);

/** The line that a citation names; a section of the specification is found by the beginning of its name. */
function resolved(key: string, known: ReadonlySet<string>): string | undefined {
  if (!key.startsWith('spec ')) return known.has(key) ? key : undefined;
  return [...known]
    .filter((name) => name !== 'spec' && key.startsWith(name) && !/^\w/.test(key.slice(name.length)))
    .sort((a, b) => b.length - a.length)[0];
}

const pages = '[Ll]icensing|[Rr]eliability|cli|admin|architecture|packaging|storefront-domain|fulfilment';
const number = String.raw`\d{1,2}(?:\.\d{1,2})?(?![\d.]*\d)`;

/** D12, D19a, C14, M8, R5 and R05, A113, K18; not `%C0`, `\uD800`, `x-D1`. */
const code = /(?<![\w%\\#.$/-])(?:[DCM][1-9]\d{0,2}[a-e]?|R\d{1,2}|A\d{3}|K\d{2})(?![\w%])/g;

/** `D85 to D89`, `C1 to C3`, `A111-A125`: the rules between the two are cited as well. */
const range = /(?<![\w%\\])([DCA])(\d{1,3})(?:\s+to\s+|\s*[-–]\s*)\1(\d{1,3})(?!\w)/g;

/** `licensing 6.6`, `cli.md section 2`, `licensing sections 8.2, 8.3`, and the numbers that follow in the list. */
const section = new RegExp(
  String.raw`\b(${pages})(?:\.md)?,?\s+(sections?\s+)?(${number})((?:(?:,|;|\s+and|\s+to)\s+${number})*)`,
  'g',
);

const goal = /\bcli(?:\.md)?\s+(C\d{1,2})\b/g;
const record = /\bdecisions?\s+(\d{4})((?:(?:,|\s+and)\s+\d{4})*)\b/gi;

/** What stands in a parenthesis that names the specification first, up to the next `;` or the end. */
const specification =
  /\(spec(?:ification)?(?:,\s*|\s+(?=[A-Z"])|(?=[;)])|\s+(?=create-bulk|webhooks))"?([^;)]*)/g;

/** Numbers in a parenthesis of a comment that names no page are sections of the licensing page: `(6.6)`, `(D36, 5.4)`. */
const parenthesis = /\(([^()]*)\)/g;
const bare = /(?<=^|[,;]\s|\band\s)([2-8]\.\d{1,2})(?=$|[,;:])/g;
const elsewhere = new RegExp(String.raw`\b(?:RFC|OpenAPI|${pages}|spec)\b`);

/**
 * All citations of a file. Comments that go over several lines are read as one text.
 * @param file TypeScript or Markdown
 */
export function citationsOf(file: SourceFile): Citation[] {
  const text = joined(file.text);
  const prose = file.file.endsWith('.ts') ? joined(commentsOf(file.text)) : text;
  const found = [
    ...codesOf(text),
    ...sectionsOf(text),
    ...recordsOf(prose),
    ...specificationsOf(prose),
    ...bareSectionsOf(prose),
  ];
  return found.map(({ key, index, within = false }) => ({
    key,
    at: `${file.file}:${lineAt(file.text, index)}`,
    within,
  }));
}

/** The text with everything but its comments blanked out, so that positions stay. */
function commentsOf(text: string): string {
  const blank = (part: string) => part.replace(/[^\n]/g, ' ');
  let rest = 0;
  let kept = '';
  for (const { 0: comment, index } of text.matchAll(/(?<=^|[\s({[,])(?:\/\*[\s\S]*?\*\/|\/\/ [^\n]*)/gm)) {
    kept += blank(text.slice(rest, index)) + comment;
    rest = index + comment.length;
  }
  return kept + blank(text.slice(rest));
}

/** The text with the marks at the beginnings of comment lines blanked out: a comment of several lines is one text. */
const joined = (text: string): string =>
  text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/)/g, (mark) => ' '.repeat(mark.length));

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

function codesOf(text: string): Found[] {
  const goals = [...text.matchAll(goal)].map(({ 0: whole, 1: code, index }) => ({
    key: `cli ${code}`,
    index: index + whole.lastIndexOf('C'),
  }));
  const codes = [...text.matchAll(code)]
    .filter(({ index }) => !goals.some((each) => each.index === index))
    .map(({ 0: written, index }) => ({ key: written.replace(/^R0/, 'R'), index }));
  const between = [...text.matchAll(range)].flatMap(({ 1: letter, 2: first = '', 3: last, index }) =>
    Array.from({ length: Math.max(0, Number(last) - Number(first) - 1) }, (_, n) => ({
      key: `${letter}${String(Number(first) + 1 + n).padStart(first.length, '0')}`,
      index,
      within: true,
    })),
  );
  return [...goals, ...codes, ...between];
}

function sectionsOf(text: string): Found[] {
  return [...text.matchAll(section)].flatMap(
    ({ 0: whole, 1: page, 2: word, 3: first = '', 4: rest = '', index }) => {
      // "cli, 0" in an array is not a section: a number without a dot is one only where something says so.
      const said = word !== undefined || first.includes('.') || whole.includes('.md') || whole === 'cli 2';
      return said
        ? [first, ...(rest.match(/[\d.]+/g) ?? [])].map((n) => ({
            key: `${page?.toLowerCase()} ${n}`,
            index,
          }))
        : [];
    },
  );
}

function recordsOf(text: string): Found[] {
  return [...text.matchAll(record)].flatMap(({ 1: first, 2: rest = '', index }) =>
    [first, ...(rest.match(/\d{4}/g) ?? [])].map((n) => ({ key: `decision ${n}`, index })),
  );
}

function specificationsOf(text: string): Found[] {
  return [...text.matchAll(specification)].map(({ 1: rest = '', index }) => ({
    key: `spec ${rest.replace(/\s+/g, ' ').trim()}`.trim(),
    index,
  }));
}

function bareSectionsOf(text: string): Found[] {
  return [...text.matchAll(parenthesis)]
    .filter(([whole]) => !elsewhere.test(whole))
    .flatMap(({ 1: inside = '', index }) =>
      [...inside.matchAll(bare)].map(([, n]) => ({ key: `licensing ${n}`, index })),
    );
}
