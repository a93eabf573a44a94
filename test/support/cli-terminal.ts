// Runs the program at a real terminal: util-linux's script makes one.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { program } from './cli-process.ts';

/** What a run at a terminal came to: its exit code and all that was shown, on stdout and stderr alike. */
export interface TerminalRun {
  code: number;
  screen: string;
}

/**
 * What is typed, as it is or as it follows from what stands on the screen by then. A question that is asked again is
 * named by what is shown before it, too: what was typed shows it once more.
 */
export type Typed = readonly [
  question: string | readonly string[],
  text: string | ((screen: string) => string),
];

interface TerminalOptions {
  cwd: string;
  env?: Record<string, string>;
  answers?: readonly Typed[];
  /** Width of the terminal, which is then 40 lines high; a terminal that does not know its size when left out. */
  columns?: number;
}

/**
 * Runs a command line at a terminal and types each answer when its question stands there.
 * @param args words after `appctl`
 */
export function runAtTerminal(args: readonly string[], options: TerminalOptions): Promise<TerminalRun> {
  const words = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return runLineAtTerminal(words.join(' '), options);
}

/** As runAtTerminal, for a line as a shell reads it. */
export async function runLineAtTerminal(
  line: string,
  { answers = [], ...options }: TerminalOptions,
): Promise<TerminalRun> {
  const terminal = openTerminal(line, options);
  let from = 0;
  for (const [question, text] of answers) {
    const after = from;
    const shown = (): boolean => {
      const place = [question]
        .flat()
        .reduce((at, words) => (at < 0 ? at : terminal.screen().indexOf(words, at)), after);
      return place >= 0;
    };
    await untilShown(terminal, shown);
    from = terminal.screen().length;
    terminal.type(`${typeof text === 'string' ? text : text(terminal.screen())}\r`);
  }
  return { code: await terminal.ended, screen: terminal.screen() };
}

/** Waits for a screen; a program that has ended shows nothing more. @throws Error with what stands there instead */
export async function untilShown(terminal: Terminal, isShown: () => boolean): Promise<void> {
  for (const start = Date.now(); !isShown() && terminal.child.exitCode === null; await setTimeout(20))
    if (Date.now() - start > PATIENCE_MS) throw new Error(`waited in vain; shown is:\n${terminal.screen()}`);
}

/** A server that is made anew at a busy machine takes its time. */
const PATIENCE_MS = 90_000;

/** A terminal in which a line runs. */
export interface Terminal {
  readonly child: ChildProcessWithoutNullStreams;
  /** All that was shown so far. */
  screen(): string;
  /** Presses keys: `\r` is Enter, `\x03` is Ctrl-C. */
  type(keys: string): void;
  /** The exit code of the line. */
  readonly ended: Promise<number>;
}

/** Starts a line at a terminal of its own. */
export function openTerminal(
  line: string,
  { cwd, env = {}, columns }: Omit<TerminalOptions, 'answers'>,
): Terminal {
  const sized = columns === undefined ? line : `stty cols ${columns} rows 40; ${line}`;
  const child = spawn('script', ['--quiet', '--return', '--command', sized, '/dev/null'], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, TERM: 'xterm', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  child.stderr.pipe(process.stderr);
  return {
    child,
    screen: () => screen,
    type: (keys) => child.stdin.write(keys),
    ended: once(child, 'close').then(([code]) => code as number),
  };
}
