// What no text that people see may say (design/voice.md): numbers of decisions, names of source files, and turns of
// phrase for which English has plainer ones.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, nodesOf, readSourceTree, type SourceFile, type SyntaxNode } from './source-tree.ts';

/** A text with the place where it stands, `file:line` or the key of a language. */
export type Said = { readonly at: string; readonly text: string };

const root = join(import.meta.dirname, '../..');

/** Each breach with what to write instead. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/\b(?:D|Z|K|C|J|M(?=[1-9]))\d{1,3}[a-z]?\b|\bdecision \d{4}\b/, 'a number of a decision'],
  [
    /\b(?:licensing|storefront(?:-\w+)?|cli|reliability|admin|fulfilment|shop-pages|architecture)(?:\.md)? \d+\.\d/,
    'a section of the design',
  ],
  [/\b[a-z][\w-]*\.ts\b|\bsrc\/[a-z]/, 'the name of a source file'],
  [/\b(?:tells?|told) of\b/i, '"tell of": report, show, notify'],
  [/\b(?:is|are) told\b/i, '"is told": gets, is notified'],
  [/\bthere (?:is|are|was|were) no\b/i, '"there is no X": X was not found, no X yet'],
  [/(?<!there )\bis no (?!longer\b|more\b|such\b|newer\b|less\b|fewer\b)[a-z]/i, '"X is no Y": X is not a Y'],
  [/\bin place of\b/i, '"in place of": instead of'],
  [/\bstands? (?:in|at|for|as|on|beside|twice|there|apart)\b/i, '"stands": is, appears'],
  [/\b(?:lies|lie) (?:in|on|at|below|outside)\b/i, '"lies": is'],
  [/\b(?:hears?|heard) of\b/i, '"hears of": gets, receives'],
  [/\btakes? in\b|\bholds? up\b/i, '"take in", "hold up": accept, store, delay'],
];

/** Names of files that the reader writes or saves: hooks may be TypeScript. */
const OF_READERS = /hooks/;
/** Goods of the sample shop: prose about tents and lamps. */
const SAMPLE = /^src\/storefront\/tools\/sample\//;

/** @returns each breach as `place: why: text` */
export function voiceFaults(texts: readonly Said[]): string[] {
  return texts.flatMap(({ at, text }) =>
    rules
      .filter(([pattern, why]) => pattern.test(text) && !(why.includes('source file') && OF_READERS.test(at)))
      .map(([, why]) => `${at}: ${why}: ${text.replace(/\s+/g, ' ').slice(0, 120)}`),
  );
}

/** Every text of the program and its pages. */
export const allTexts = (): Said[] => [...literals(), ...templates(), ...language()];

/** Two words in a row make a text; statements of SQL, names and addresses are for machines. */
const isText = (text: string): boolean =>
  /[a-z]{2} (?:[a-z]|\{\})/i.test(text) &&
  !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|PRAGMA|DROP)\b/.test(text) &&
  !/\b(?:FROM|WHERE|ORDER BY|VALUES|SET) /.test(text);

const literals = (): Said[] =>
  readSourceTree()
    .filter(({ file }) => file.startsWith('src/') && !SAMPLE.test(file))
    .flatMap(textsOf);

/** The texts of one source file; what a template fills in counts as `{}`. */
export const textsOf = (file: SourceFile): Said[] =>
  nodesOf(file, 'Literal', 'TemplateLiteral')
    .map((node) => ({ at: `${file.file}:${lineOf(node)}`, text: writtenIn(node) }))
    .filter(({ text }) => isText(text));

function writtenIn(node: SyntaxNode): string {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : '';
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('{}');
}

const templates = (): Said[] =>
  globSync(['templates/**/*.ejs', 'templates/**/*.md', 'README.md'], { cwd: root }).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((line, i) => ({ at: `${file}:${i + 1}`, text: line.replaceAll(/<%[^=-].*?%>/g, '') }))
      .filter(
        ({ at, text }) => isText(text) && !/^\s*(?:\/\/|\*)/.test(text) && !/\.(?!en)[a-z]{2}\.md:/.test(at),
      ),
  );

function language(): Said[] {
  const said: Said[] = [];
  const walk = (key: string, value: unknown): void => {
    if (typeof value === 'string') said.push({ at: `en.json ${key}`, text: value });
    else for (const [name, one] of Object.entries(value as object)) walk(`${key}.${name}`, one);
  };
  walk('', JSON.parse(readFileSync(join(root, 'templates/languages/en.json'), 'utf8')));
  return said;
}
