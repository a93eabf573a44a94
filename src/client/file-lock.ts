// A lock of a file: whoever creates `<file>.lock` holds it, in this process or in another one.
import { link, mkdir, open, readFile, readlink, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFraction, randomText } from './bytes.ts';
import { ClientError } from './errors.ts';

/** A lock that has not changed for so long was left by a process that ended: its work takes milliseconds. */
const ABANDONED_MS = 5_000;
const LONGEST_WAIT_MS = 20_000;
const PAUSE_MS = 8;
/** Windows refuses for a moment what another program is looking at. */
const BUSY_TRIES = 10;
const BUSY = ['EPERM', 'EACCES', 'EBUSY'];

export interface Lock {
  /** Distinguishes this holder from every other. */
  readonly token: string;
  /** False when somebody took it for abandoned, as after the machine slept. */
  isHeld(): Promise<boolean>;
}

/**
 * Runs work that nobody else may do on this file at the same time.
 *
 * @param abandoned is told the token of a holder that is gone
 * @throws ClientError STORAGE when the lock stays taken
 */
export async function locked<T>(
  file: string,
  work: (lock: Lock) => Promise<T>,
  abandoned: (token: string) => Promise<void>,
): Promise<T> {
  const place = `${file}.lock`;
  const token = randomText(9);
  await acquire(place, token, abandoned);
  const isHeld = async (): Promise<boolean> => (await holderOf(place)) === token;
  try {
    return await work({ token, isHeld });
  } finally {
    if (await isHeld()) await rm(place, { force: true });
  }
}

async function acquire(
  place: string,
  token: string,
  abandoned: (token: string) => Promise<void>,
): Promise<void> {
  let seen: string | null = null;
  // Counted in pauses and not by a clock: a clock that is set, or a machine that sleeps, makes nothing abandoned.
  let unchangedMs = 0;
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; ) {
    if (await take(place, token)) return;
    const holder = await holderOf(place);
    if (holder === null) continue;
    const pauseMs = PAUSE_MS * (1 + randomFraction());
    unchangedMs = holder === seen ? unchangedMs + pauseMs : 0;
    seen = holder;
    if (unchangedMs >= ABANDONED_MS) {
      await breakOpen(place, holder, token);
      await abandoned(holder);
    }
    await sleep(pauseMs);
    waitedMs += pauseMs;
  }
  throw new ClientError('STORAGE', `${place} stays taken: end the programs that use it, or delete it`);
}

/** @returns false when somebody has it */
async function take(place: string, token: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      const handle = await open(place, 'wx', 0o600);
      await handle.writeFile(token).finally(() => handle.close());
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') return false;
      if (code === 'ENOENT' && tries === 1) await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      else if (!BUSY.includes(code) || tries >= BUSY_TRIES) throw error;
      else await sleep(PAUSE_MS);
    }
  }
}

/** @returns null when nobody has it */
async function holderOf(place: string): Promise<string | null> {
  try {
    return await readFile(place, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Moves an abandoned lock away. One that was taken meanwhile is put back. */
async function breakOpen(place: string, holder: string, token: string): Promise<void> {
  const aside = `${place}.${token}`;
  try {
    await rename(place, aside);
  } catch {
    return;
  }
  if ((await holderOf(aside)) !== holder) await link(aside, place).catch(() => undefined);
  await rm(aside, { force: true });
}

/**
 * Where a file really is: to rename something over a link would put a file in its place. One that is behind the link
 * need not exist yet. Folders on the way may be links too; the system follows them.
 */
export async function behindLinks(file: string, most = 40): Promise<string> {
  const target = most === 0 ? null : await readlink(file).catch(() => null);
  if (target === null) return file;
  return behindLinks(isAbsolute(target) ? target : `${dirname(file)}/${target}`, most - 1);
}

/** Renames over a file that others may be reading. */
export async function replaceFile(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!BUSY.includes(codeOf(error)) || tries >= BUSY_TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** Of an error of the file system: `ENOENT`. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');
