import { folded, foldedCommand } from '../frame/wrap.ts';
import type { Block, ReferencePage } from './pages.ts';

interface Edition {
  readonly version: string;
  /** `2026-11-29`. */
  readonly day: string;
}

/** Lines of examples that fit a terminal of 80 columns with the indent of man. */
const WIDTH = 70;
const SOURCE_WIDTH = 66;

/** A page in the language of man(7), which groff and mandoc read alike. */
export function manPage(page: ReferencePage, { version, day }: Edition): string {
  const { name, section, summary, sections } = page;
  const about = section === 1 ? 'Commands of appctl' : 'Files of appctl';
  const head = [
    `.\\" Made by appctl docs man from the declaration of the command.`,
    `.TH ${[escaped(name.toUpperCase()), section, day, `appctl ${version}`, about].map((word) => `"${word}"`).join(' ')}`,
    // A command and an address are copied as they are: no word is broken, nothing is stretched.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(summary)}`,
  ];
  const rest = sections.flatMap(({ title, blocks }) => [
    `.SH ${escaped(title.toUpperCase())}`,
    ...blocks.flatMap((block, at) => blockLines(block, at > 0, title)),
  ]);
  return `${[...head, ...rest].join('\n')}\n`;
}

function blockLines(block: Block, isNext: boolean, title: string): string[] {
  if (block.kind === 'text') {
    const bold = title === 'Synopsis';
    return [...(isNext ? ['.PP'] : []), ...(bold ? [`.B ${escaped(block.text)}`] : lines(block.text))];
  }
  if (block.kind === 'code') return ['.nf', ...block.lines.flatMap(example), '.fi'];
  return block.terms.flatMap(([term, text]) => ['.TP', `\\fB${escaped(term)}\\fR`, ...lines(text)]);
}

/** A text in lines that an editor shows whole. */
const lines = (text: string): string[] => folded(text, SOURCE_WIDTH).map(line);

/** A command in lines that can be pasted together. */
function example(code: string): string[] {
  const parts = foldedCommand(code, WIDTH, '').split('\n');
  const isLong = parts.some(({ length }) => length > WIDTH);
  // Nothing is quoted, so that every blank is one between words.
  if (isLong && !/["'\\]/.test(code))
    return folded(code, WIDTH - 6)
      .join(' \\\n    ')
      .split('\n')
      .map(line);
  return parts.map(line);
}

/** A line that begins with a dot or an apostrophe would be taken for a request. */
const line = (text: string): string => escaped(text).replace(/^(?=[.'])/, '\\&');

/** Every sign stands for itself: a hyphen is one that can be copied, and letters beyond ASCII are named. */
const escaped = (text: string): string => [...text].map((sign) => SIGNS[sign] ?? beyond(sign)).join('');

const SIGNS: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '"': '\\(dq',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '…': '...',
};

const beyond = (sign: string): string => {
  const code = sign.codePointAt(0) ?? 0;
  return code < 128 ? sign : `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
};
