// A process that holds the listening socket, as systemd does, while programs that inherit it come and go.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Launch } from './processes.ts';
import { MissingTool } from './proof.ts';

/** How a program ended. */
export interface Ended {
  code: number;
  ms: number;
}

/** Programs on one socket. */
export interface Holder {
  url: string;
  /** Starts one more. @returns its process id, once it serves */
  start(): Promise<number>;
  /** Asks one to end. */
  term(pid: number): Promise<Ended>;
  close(): Promise<void>;
}

/** @throws MissingTool without Python 3 */
export function requirePython(): void {
  if (spawnSync('python3', ['--version']).status !== 0) throw new MissingTool('python3 is missing');
}

/** @param args words after the executable */
export async function openHolder({ exe, cwd, env, prefix = [] }: Launch, args: string[]): Promise<Holder> {
  const words = [join(import.meta.dirname, 'holder.py'), ...prefix, exe, ...args];
  const child = spawn('python3', words, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, number>> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the holder of the socket has ended');
    const word = JSON.parse(value);
    if (word.error) throw new Error(word.error);
    return word;
  };
  const ask = (line: string): Promise<Record<string, number>> => {
    child.stdin.write(`${line}\n`);
    return next();
  };
  const { port } = await next();
  return {
    url: `http://127.0.0.1:${port}`,
    start: async () => (await ask('start')).pid as number,
    term: async (pid) => (await ask(`term ${pid}`)) as unknown as Ended,
    close: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await gone;
}
