/** A command is pasted as a whole: it ends where the text goes on after `;`, `)` or `, or`. */
const COMMAND = /(?:npx )?\bappctl (?:(?!, or )[^;()\n])*/g;
const HELD = '\u00a0\u2060';

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

function broken(line: string, width: number): string[] {
  const words = line.replaceAll(COMMAND, (command) => command.replaceAll(' ', HELD)).split(' ');
  const lines: string[] = [];
  for (const word of words.map((word) => word.replaceAll(HELD, ' '))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
