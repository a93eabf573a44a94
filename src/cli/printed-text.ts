import { visible, visibleLine, visibleLines } from '#kernel/visible-text.ts';

/** Values may come from clients and customers: what a terminal obeys or nobody sees is written as `\u202e`. */
export const oneLine = visibleLine;

/** As `oneLine`, for a text of the program's own that has lines and values inside. */
export const printable = (text: string): string => visibleLines(text.replaceAll('\r\n', '\n'));

/** A document as one line of JSON: `JSON.stringify` leaves letters alone that a terminal obeys or that hide. */
export const jsonLine = (document: object): string => `${visible(JSON.stringify(document))}\n`;

/** Words as a shell reads them back, for commands that are printed to be pasted. */
export const shellWords = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** One word of a command line, quoted where a shell would read it in another way. */
export const shellWord = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
