// Runs the program at a real terminal: util-linux's script makes one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from './cli-process.ts';
import { eventually } from './server-process.ts';

/** What a run at a terminal came to: its exit code and all that was shown, on stdout and stderr alike. */
export interface TerminalRun {
  code: number;
  screen: string;
}

/**
 * Runs a command line at a terminal and types each answer when its question stands there.
 * @param args words after `appctl`
 */
export async function runAtTerminal(
  args: readonly string[],
  {
    cwd,
    env = {},
    answers = [],
  }: {
    cwd: string;
    env?: Record<string, string>;
    /**
     * What is typed, as it is or as it follows from what stands on the screen by then. A question that is asked again is
     * named by what is shown before it, too: what was typed shows it once more.
     */
    answers?: readonly (readonly [
      question: string | readonly string[],
      text: string | ((screen: string) => string),
    ])[];
  },
): Promise<TerminalRun> {
  const words = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const command = ['--quiet', '--return', '--command', words.join(' '), '/dev/null'];
  const child = spawn('script', command, {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, TERM: 'xterm', NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = once(child, 'close');
  let from = 0;
  for (const [question, text] of answers) {
    const after = from;
    const shown = (): boolean => {
      const place = [question].flat().reduce((at, words) => (at < 0 ? at : screen.indexOf(words, at)), after);
      return place >= 0;
    };
    await eventually(() => shown() || child.exitCode !== null);
    from = screen.length;
    child.stdin.write(`${typeof text === 'string' ? text : text(screen)}\r`);
  }
  const [code] = (await ended) as [number];
  return { code, screen };
}
