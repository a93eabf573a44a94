import { stripVTControlCharacters } from 'node:util';

/** A command is pasted as a whole: it ends where the text goes on after `;`, `)` or `, or`. */
const COMMAND = /(?:npx )?\bappctl (?:(?!, or )[^;()\n])*/g;
const HELD = '\u00a0\u2060';

/** Holds a text together where it is broken at spaces. */
export const held = (text: string): string => text.replaceAll(' ', HELD);

/**
 * Breaks a text for a person at spaces, so that its lines fit the terminal. A command is never broken, nor a word: an
 * identifier that is longer than the line stays whole, as it has to be when it is copied.
 *
 * @param stream what it is written to; unless that is a terminal the text stays as it is
 * @param title what stands before the text on its first line; the lines that follow are indented as far
 */
export function wrapped(stream: NodeJS.WriteStream, text: string, title = ''): string {
  const width = stream.isTTY ? stream.columns : undefined;
  if (!width) return text;
  const indent = title === '' ? 0 : title.length + 1;
  return text
    .split('\n')
    .map((line) => broken(line, Math.max(20, width - indent)).join(`\n${' '.repeat(indent)}`))
    .join('\n');
}

const broken = (line: string, width: number): string[] => folded(line.replaceAll(COMMAND, held), width);

/**
 * Breaks a line at spaces, but not at those that `held` put there.
 * @param width longest line, in characters that are seen; a longer word has a line of its own
 */
export function folded(line: string, width: number): string[] {
  const words = line.split(' ').map((word) => word.replaceAll(HELD, ' '));
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && seenLength(last) + 1 + seenLength(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const seenLength = (text: string): number => stripVTControlCharacters(text).length;
