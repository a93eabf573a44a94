import { stripVTControlCharacters } from 'node:util';

/** A command is pasted as a whole: it ends where the text goes on after `;`, `)`, `, or` or another command. */
const COMMAND =
  /(?:npx |[\w./-]*node )?(?:[\w./-]*\/)?\bappctl(?:\.js)? (?:(?!, or | or (?:npx )?(?:\S*\/)?appctl\b)[^;()\n])*/g;
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
  const indent = title === '' ? 0 : title.length + 1;
  return wrappedTo(stream.isTTY ? stream.columns : undefined, text, indent);
}

/** As `wrapped`, for a width; undefined leaves the text as it is. @param indent of every line but the first */
export function wrappedTo(width: number | undefined, text: string, indent = 0): string {
  if (!width) return text;
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

/** Where a command may go on in the next line: before a flag or an address, and where its answer is passed on. */
const JOINTS = / (?=--\S|-[Hd] |https?:|\| |> )/;

/** A command, in several lines where it is longer than one: `\\` at the end of a line goes on in a shell. */
export function foldedCommand(line: string, width: number | undefined, indent: string): string {
  if (width === undefined || indent.length + line.length <= width) return `${indent}${line}`;
  const lines: string[] = [];
  for (const part of line.split(JOINTS)) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${part} \\`.length <= width)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? `${indent}${part}` : `${indent}    ${part}`);
  }
  return lines.join(' \\\n');
}

/** A command after a title of so many letters, fitted to the terminal that it is written to. */
export const ownLines = (stream: NodeJS.WriteStream, command: string, indent: number): string =>
  foldedCommand(
    command,
    stream.isTTY ? stream.columns || undefined : undefined,
    ' '.repeat(indent),
  ).trimStart();
