// The commands of a page of the manual, one by one: those in blocks, and those that its sentences name.

/** A command as it is written, which may have several lines. */
export interface PageCommand {
  readonly text: string;
  /** The heading above it; the title of the page where there is no other. */
  readonly heading: string;
  /** Needs a machine with systemd and the rights of its administrator: its block begins with ```bash machine. */
  readonly needsMachine: boolean;
}

/** @returns the commands of all blocks, in their order */
export function commandsOf(page: string): PageCommand[] {
  const commands: PageCommand[] = [];
  let heading = '';
  for (const [, title, kind, block] of page.matchAll(
    /^(?:##? (.+)|```(bash(?: machine)?)\n([\s\S]*?)^```|```[\s\S]*?^```)$/gm,
  )) {
    if (title !== undefined) heading = title;
    const needsMachine = kind === 'bash machine';
    for (const text of statementsOf(block ?? '')) commands.push({ text, heading, needsMachine });
  }
  return commands;
}

/** Splits a block into its commands: a document that is given to one, and a line that goes on, belong to it. */
export function statementsOf(block: string): string[] {
  const statements: string[] = [];
  let open: string[] = [];
  let end: string | undefined;
  for (const line of block.split('\n')) {
    if (open.length === 0 && /^\s*(#.*)?$/.test(line)) continue;
    open.push(line);
    if (end === undefined) end = /<<-?\s*(['"]?)(\w+)\1/.exec(line)?.[2];
    else if (line.trim() === end) end = undefined;
    if (end !== undefined || /(\\|\||&&)$/.test(line)) continue;
    statements.push(open.join('\n'));
    open = [];
  }
  return statements;
}

const COMMAND =
  /^(sudo )?(appctl [a-z]|systemctl |journalctl |dpkg |apt-get |npm run |curl |pg_\w+ |sqlite3 |docker |age )/;

/** Commands that sentences and tables name as code. */
export function namedCommands(page: string): string[] {
  const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/<!--[\s\S]*?-->/g, '');
  const codes = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));
  return [...new Set(codes.filter((code) => COMMAND.test(code)))];
}

const words = (command: string): string[] => command.replace(/^sudo /, '').split(/\s+/);

/** Whether a command of a block begins with all words of a named one, whoever runs it. */
export const isShownBy = (named: string, { text }: PageCommand): boolean =>
  text.split('\n').some((line) => {
    const shown = words(line);
    return words(named).every((word, at) => shown[at] === word);
  });
