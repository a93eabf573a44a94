import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '../log.ts';
import { failureOf, loggedFailure } from './hook-error.ts';
import type { HookFile } from './loaded.ts';

/**
 * Says in which file something began that fails later: in a timer, or in a promise that nobody waits for. It carries no
 * state of ours (architecture section 4 has none); only Node can know what foreign code has started.
 */
const running = new AsyncLocalStorage<string>();

/** Runs foreign code so that what it starts is known to be its. */
export const inFile = <T>(file: string, work: () => T): T => running.run(file, work);

interface Listener {
  readonly log: Log;
  readonly files: readonly HookFile[];
}
const listeners = new Set<Listener>();

/**
 * Keeps failures of hooks outside of any call from ending the process: a promise that nobody waits for, an error in a
 * timer. They are logged and counted; what is not of a hook ends the process as before.
 *
 * @param files filled while they are loaded
 */
export function keepFromEnding(log: Log, files: readonly HookFile[]): void {
  if (listeners.size === 0) {
    process.on('unhandledRejection', (reason) => heard(reason));
    process.on('uncaughtException', (error) => heard(error));
  }
  listeners.add({ log, files });
}

function heard(reason: unknown): void {
  const name = running.getStore();
  if (name === undefined) endAsBefore(reason);
  for (const { log, files } of listeners) {
    const file = files.find((one) => one.name === name);
    if (file) {
      file.strayErrors += 1;
      file.lastStray = failureOf(reason);
    }
    log.error({ ...loggedFailure(reason), file: name }, 'a hook failed outside of any call');
  }
}

/** With a listener Node leaves it to it. */
function endAsBefore(reason: unknown): void {
  if (listenersOfOthers() > 0) return;
  const shown = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  process.stderr.write(`${shown}\n`);
  process.exit(1);
}

/** Whoever else listens has decided what becomes of it. */
const listenersOfOthers = (): number =>
  process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection') - 2;
