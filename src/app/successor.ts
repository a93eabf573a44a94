import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { systemClock } from '#kernel/clock.ts';
import { type Environment, processEnvironment } from '#kernel/environment.ts';
import { AppError } from '#kernel/errors.ts';
import { HANDOVER, type Handover } from '#kernel/http/inherited-sockets.ts';
import { folderOfOwner, programArguments } from '#kernel/process-identity.ts';
import type { Running } from './serve.ts';

/** What a successor writes to its predecessor: that it serves, or why it cannot. */
export type SuccessorWord =
  | { ready: true; pid: number }
  | { ready: false; message: string; hint: string | null };

/** Migrations of a large database may come first. */
const LONGEST_START_MS = 840_000;
const FIRST_FD = 3;

/**
 * Starts another process of the program on the sockets of this one.
 *
 * @param exe its executable; that of this process when left out
 * @returns its process id, once it serves
 * @throws AppError HANDOVER_FAILED in its own words, once it has ended
 */
export async function startSuccessor(
  running: Pick<Running, 'listening' | 'configFile'>,
  exe?: string,
): Promise<{ pid: number }> {
  refuseUnder(processEnvironment());
  const child = begun(running, exe);
  try {
    const word = await wordOf(child);
    if (!word.ready) throw failed(word.message, word.hint);
    child.unref();
    for (const stream of child.stdio) stream?.destroy();
    return { pid: word.pid };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

function begun(
  { listening, configFile }: Pick<Running, 'listening' | 'configFile'>,
  exe: string | undefined,
): ChildProcess {
  const { sockets, isComplete } = listening;
  const readyFd = FIRST_FD + sockets.length;
  const handover: Handover = {
    from: process.pid,
    isComplete,
    sockets: sockets.map((one, i) => ({ ...one, fd: FIRST_FD + i })),
    readyFd,
  };
  const { LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES, ...env } = processEnvironment();
  const words = [...(exe === undefined ? programArguments() : []), ...ownWords()];
  const home = folderOfOwner();
  if (home !== null && configFile !== null && !words.some((word) => /^(-c|--config)(=|$)/.test(word)))
    words.push('--config', configFile);
  return spawn(exe ?? process.execPath, words, {
    // The home of root, where the configuration is looked for too, is closed to the user that it has become.
    env: { ...env, ...(home !== null && { HOME: home }), [HANDOVER]: JSON.stringify(handover) },
    stdio: ['ignore', 'inherit', 'inherit', ...sockets.map(({ fd }) => fd), 'pipe'],
    // It outlives this process, and a terminal that sends both an interrupt.
    detached: true,
  });
}

/** As this process was started, without what was for that one start. */
export function ownWords(): string[] {
  const words = process.argv.slice(2);
  const kept: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    if (word === '--fresh' || word.startsWith('--ready-fd=')) continue;
    if (word === '--ready-fd') i += 1;
    else kept.push(word);
  }
  return kept;
}

async function wordOf(child: ChildProcess): Promise<SuccessorWord> {
  const pipe = child.stdio.at(-1) as Readable;
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_START_MS);
  const from = systemClock.monotonicMs();
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(failed(error.message, null)));
    child.once('exit', (code, signal) => {
      const seconds = Math.round((systemClock.monotonicMs() - from) / 1000);
      // What it wrote before it ended is read first.
      setTimeout(() => reject(failed(`it ended with ${code ?? signal} after ${seconds} s`, null)), 200);
    });
  });
  try {
    return JSON.parse(await Promise.race([firstLine(pipe), ended])) as SuccessorWord;
  } finally {
    clearTimeout(timer);
  }
}

function firstLine(pipe: Readable): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    pipe.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const end = text.indexOf('\n');
      if (end !== -1) resolve(text.slice(0, end));
    });
  });
}

const failed = (why: string, hint: string | null): AppError =>
  new AppError('HANDOVER_FAILED', 409, `the new server does not serve: ${why}`, {
    details: { hint: hint ?? 'this server goes on; see its log for what the new one said' },
  });

/** A process that others wait for must not leave its place to a child of its own. */
function refuseUnder(env: Environment): void {
  if (env.SYSTEMD_EXEC_PID === String(process.pid)) {
    const { unit, isOfUser } = ownUnit();
    const details = { unit, isOfUser, hint: `systemctl ${isOfUser ? '--user ' : ''}restart ${unit}` };
    throw new AppError('CONFLICT', 409, `systemd runs this server as ${unit}`, { details });
  }
  if (process.pid === 1) {
    const details = { hint: 'restart the container' };
    throw new AppError(
      'CONFLICT',
      409,
      'this server is the first process of its container, which ends with it',
      { details },
    );
  }
}

/** `0::/system.slice/appctl.service` */
function ownUnit(): { unit: string; isOfUser: boolean } {
  const path = readFileSync('/proc/self/cgroup', 'utf8').trim().split(':').at(-1) ?? '';
  const unit = path.split('/').findLast((part) => part.endsWith('.service')) ?? 'appctl.service';
  return { unit, isOfUser: path.startsWith('/user.slice/') };
}
