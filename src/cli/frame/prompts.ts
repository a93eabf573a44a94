import { usageError } from './errors.ts';
import type { Io } from './io.ts';

/** Asks the person at the terminal. Every prompt names the flag that answers it in a script. */
export interface Prompts {
  /** Whether anything can be asked at all (cli.md section 1.2). */
  readonly possible: boolean;
  /** @throws usage error (2) naming the flag when nothing can be asked */
  text(question: {
    flag: string;
    message: string;
    default?: string;
    /** The default stands there to be changed. */
    isEditable?: boolean;
    check?: (text: string) => true | string;
  }): Promise<string>;
  choice<T extends string>(question: { flag: string; message: string; choices: readonly T[] }): Promise<T>;
  yesNo(question: { flag: string; message: string; default?: boolean }): Promise<boolean>;
  /** Reads without showing what is typed; `repeat` asks twice and compares. */
  hidden(question: {
    flag: string;
    message: string;
    repeat?: boolean;
    check?: (text: string) => true | string;
  }): Promise<string>;
}

/** Looked up when somebody asks: most commands, and a server, leave stdin alone, and opening it costs 3 ms. */
const canAsk = (io: Io): boolean =>
  io.env.CI !== 'true' && io.stdin.isTTY === true && io.stderr.isTTY === true;

/**
 * Makes the prompts of one run. They appear only when stdin and stderr are terminals and none of --no-input,
 * --json and CI=true is present. The gate stands before the library is imported: without a terminal it would
 * write escape codes to stdout and take a pipe for typed keys.
 */
export function createPrompts(io: Io, flags: { noInput: boolean; json: boolean }): Prompts {
  const isPossible = (): boolean => !flags.noInput && !flags.json && canAsk(io);
  const asked = <T>(ask: (context: PromptContext) => Promise<T>): Promise<T> => untilClosed(io, ask);

  function gate(flag: string): void {
    if (!isPossible()) throw usageError(`${flag} is required (no terminal to ask on)`);
  }

  return {
    get possible() {
      return isPossible();
    },
    async text({ flag, message, default: preset, isEditable = false, check }) {
      gate(flag);
      const { input } = await import('@inquirer/prompts');
      const validate = check ?? ((text: string) => (text.trim() === '' ? 'a value is needed' : true));
      const prefill = isEditable ? ('editable' as const) : ('tab' as const);
      const question = { message, validate, prefill, ...(preset === undefined ? {} : { default: preset }) };
      return asked((context) => input(question, context));
    },
    async choice({ flag, message, choices }) {
      gate(flag);
      const { select } = await import('@inquirer/prompts');
      return asked((context) => select({ message, choices: choices.map((value) => ({ value })) }, context));
    },
    async yesNo({ flag, message, default: preset }) {
      gate(flag);
      const { confirm } = await import('@inquirer/prompts');
      return asked((context) => confirm({ message, default: preset ?? false }, context));
    },
    async hidden({ flag, message, repeat, check }) {
      gate(flag);
      const { password } = await import('@inquirer/prompts');
      for (;;) {
        const first = await asked((context) =>
          password({ message, mask: '*', ...(check && { validate: check }) }, context),
        );
        if (!repeat) return first;
        const second = await asked((context) => password({ message: 'Again', mask: '*' }, context));
        if (first === second) return first;
        // Whoever answered other questions before would lose all of them.
        io.stderr.write('The two entries differ. Type both again.\n');
      }
    },
  };
}

type PromptContext = { input: Io['stdin']; output: Io['stderr']; signal: AbortSignal };

/**
 * Asks, and ends the question when the input is closed. The library waits for ever after Ctrl-D: nothing would be left
 * to wait for, and the process would end with 0 as if the work were done.
 */
async function untilClosed<T>(io: Io, ask: (context: PromptContext) => Promise<T>): Promise<T> {
  const closed = new AbortController();
  // readline pauses its input when it is closed; by then an answer that was given has settled the question.
  const close = (): void => closed.abort();
  io.stdin.once('pause', close);
  try {
    return await ask({ input: io.stdin, output: io.stderr, signal: closed.signal });
  } finally {
    io.stdin.off('pause', close);
  }
}
