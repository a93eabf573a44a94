// Runs `appctl serve` as a process of its own and waits until it listens.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type CliOptions, type CliRun, program } from './cli-process.ts';

export interface ServerProcess {
  readonly child: ChildProcess;
  /** The first address of the `listening` line. */
  readonly url: string;
  readonly urls: readonly string[];
  stdout(): string;
  stderr(): string;
  /** Sends a signal, SIGTERM by default, and resolves with the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<CliRun>;
  readonly ended: Promise<CliRun>;
}

/**
 * Starts a server with --json; the caller stops it.
 * @param args words after `serve`; without --listen it takes a free port
 * @param options.command what stands for `appctl`; the program as `runCli` runs it when left out
 * @throws Error with what it printed when it ends before it listens
 */
export async function startServer(
  args: readonly string[] = [],
  options: CliOptions & { stdio?: ('pipe' | 'ignore' | number)[]; command?: readonly string[] } = {},
): Promise<ServerProcess> {
  const { cwd = process.cwd(), env = {}, stdio = [], command = [process.execPath, program] } = options;
  const listen = args.includes('--listen') || env.APPCTL_LISTEN ? [] : ['--listen', '127.0.0.1:0'];
  const [file = '', ...words] = [...command, 'serve', ...listen, '--json', ...args];
  const child = spawn(file, words, {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...stdio],
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    texts.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]): CliRun => ({ code, signal, ...texts }));
  while (!texts.stdout.includes('\n')) {
    const event = await Promise.race([ended, once(child.stdout as NonNullable<typeof child.stdout>, 'data')]);
    if ('code' in event) throw new Error(`serve ended with ${event.code}: ${event.stderr}`);
  }
  const line = JSON.parse(texts.stdout.split('\n', 1)[0] ?? '') as { url: string; urls: string[] };
  return {
    child,
    ...line,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/**
 * Starts a server as systemd does, on sockets that are there already. It begins with the first connection, and has only
 * the variables that it is given.
 *
 * @param sockets words of `systemd-socket-activate`: `-l 127.0.0.1:8480`
 */
export const startActivated = (
  sockets: readonly string[],
  options: CliOptions & { readonly env: Record<string, string> },
): Promise<ServerProcess> =>
  startServer([], {
    ...options,
    command: [
      'systemd-socket-activate',
      ...['PATH', 'HOME', ...Object.keys(options.env)].flatMap((name) => ['-E', name]),
      ...sockets,
      ...[process.execPath, program],
    ],
  });

/**
 * Resolves as soon as `look` finds something.
 * @throws Error after 15 s: a loop without an end would keep the whole test process alive
 */
export async function eventually<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (let tries = 0; tries < 750; tries++) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited in vain for ${look}`);
}
