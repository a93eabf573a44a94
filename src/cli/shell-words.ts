/** Words as a shell reads them back, for commands that are printed to be pasted. */
export const shellWords = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** One word of a command line, quoted where a shell would read it in another way. */
export const shellWord = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
