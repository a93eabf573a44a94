import { type ChildProcess, spawn } from 'node:child_process';
import { isSea } from 'node:sea';
import { processEnvironment } from './environment.ts';
import { nativeFolder } from './native.ts';
import { programArguments } from './process-identity.ts';

/**
 * Starts this program once more, for work that would stop the process that needs it.
 *
 * @param word that it begins with
 * @param sockets descriptors that it inherits, as its own from FIRST_OWN_FD on; with them it may say on the standard
 *   error why it crashed, and what is sent may hold anything that can be cloned
 */
export function startOwn(word: string, sockets?: readonly number[]): ChildProcess {
  const { LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES, LISTEN_HANDOVER, ...inherited } = processEnvironment();
  const env = { ...inherited, APPCTL_CACHE_DIR: nativeFolder() };
  // Another process of a server has the memory of the first; the executable begins with its own flags anyway.
  const flags = sockets && !isSea() ? process.execArgv : [];
  const words = [...flags, ...programArguments(), word];
  const child = spawn(ownExecutable(), words, {
    stdio: ['ignore', 'ignore', sockets ? 'inherit' : 'ignore', ...(sockets ?? []), 'ipc'],
    ...(sockets && { serialization: 'advanced' }),
    env,
  });
  // One that could not be started tells it by ending.
  return child.on('error', () => undefined);
}

/** The one that runs, also when the file of its name was replaced by another version. */
const ownExecutable = (): string =>
  isSea() && process.platform === 'linux' ? '/proc/self/exe' : process.execPath;

/** After the three streams. */
export const FIRST_OWN_FD = 3;

type Told<T> = { answer: T } | { error: { message: string; code: string | undefined } };

/**
 * Gives an order to such a process.
 *
 * @param task for the error: `that copies the database`
 * @throws Error with the message and the code of what the process threw, or when it ended
 */
export async function askOwn<T>(child: ChildProcess, order: object, task: string): Promise<T> {
  const told = await new Promise<Told<T>>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Told<T>));
    child.once('exit', (code, signal) =>
      reject(new Error(`the process ${task} ended with ${signal ?? code}`)),
    );
    child.send(order, (error) => error && reject(error));
  });
  if ('answer' in told) return told.answer;
  throw Object.assign(new Error(told.error.message), { code: told.error.code });
}

/** What such a process does: it answers each order, and ends with whoever gives them. */
export function serveOwn<T extends object>(work: (order: T) => Promise<unknown>): void {
  const told = async (order: T): Promise<Told<unknown>> => {
    try {
      return { answer: (await work(order)) ?? null };
    } catch (error) {
      const { message, code } = error as Error & { code?: string };
      return { error: { message, code } };
    }
  };
  process.on('message', (order: T) => {
    void told(order).then((answer) => process.send?.(answer));
  });
  process.on('disconnect', () => process.exit());
}
