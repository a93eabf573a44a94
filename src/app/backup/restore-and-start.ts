import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { processEnvironment } from '#kernel/environment.ts';
import type { AppError } from '#kernel/errors.ts';
import { HANDOVER } from '#kernel/http/inherited-sockets.ts';
import { programArguments } from '#kernel/process-identity.ts';
import { noteRestore, type RestoreRequest } from '#platform/backup/index.ts';
import { restoreJournal } from '#platform/installation/index.ts';
import { ownWords } from '../successor.ts';
import { type Installation, runProgram } from '../upgrade/program.ts';

/** A service manager starts again what ends with it: EX_TEMPFAIL. */
const AGAIN = 75;

/** Restores a backup in a process of its own, notes what came of it, and starts the server again; it does not return. */
export async function restoreAndStart(
  installation: Installation,
  { file, by }: RestoreRequest,
): Promise<never> {
  let isToldToStop = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (isToldToStop = true));
  const outcome = await restored(installation, file);
  noteRestore(installation.config, { file, by, at: isoTime(systemClock.epochMs()), ...outcome });
  return isToldToStop ? process.exit(0) : startAgain();
}

async function restored(
  installation: Installation,
  file: string,
): Promise<{ error: string | null; previous: string | null }> {
  const { config } = installation;
  const restore = (...words: string[]): Promise<{ previous: string | null }> =>
    runProgram(process.execPath, installation, [...programArguments(), 'restore', ...words]);
  try {
    const { previous } = await restore(file, '--confirm', config.serviceName);
    return { error: null, previous: previous && basename(previous) };
  } catch (error) {
    // Everything was verified by then: what is left is a few renames.
    if (existsSync(restoreJournal(config))) await restore('--continue').catch(() => undefined);
    const { message, details } = error as AppError;
    const hint = typeof details?.hint === 'string' ? `; ${details.hint}` : '';
    return { error: `${message}${hint}`, previous: null };
  }
}

/** In the place of this process, so that whoever waits for it goes on to wait. */
function startAgain(): never {
  const { [HANDOVER]: _, ...env } = processEnvironment();
  // Its sockets are gone from this process, and not from systemd.
  if (env.LISTEN_PID === String(process.pid) || process.execve === undefined) process.exit(AGAIN);
  const script = programArguments();
  // The executable has the options of Node in itself, and would take them for words of its own.
  const options = script.length > 0 ? process.execArgv : [];
  const words = [process.execPath, ...options, ...script, ...ownWords()];
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return process.execve(process.execPath, words, Object.fromEntries(given)) as never;
}
