import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** A file or folder that others may read or write although it holds secrets, or that is not where it must be. */
export class UnsafeFile extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsafeFile';
  }
}

/** Whether something on the disk belongs to the user of this process; Windows has no numbers for that. */
export const isOwn = ({ uid }: { readonly uid: number }): boolean =>
  process.getuid === undefined || uid === process.getuid();

/**
 * Makes a folder that only its owner enters (0700, whatever the umask says), and its parents, so that a power cut leaves
 * them there.
 *
 * @throws UnsafeFile when something else stands there
 */
export function ensurePrivateFolder(path: string): void {
  const made = makeFolders(resolve(path));
  if (!statSync(path).isDirectory()) throw new UnsafeFile(`${path} is not a directory`);
  if (made === undefined) return;
  chmodSync(path, 0o700);
  for (let folder = resolve(path); folder.length >= resolve(made).length; folder = dirname(folder)) {
    syncFolder(dirname(folder));
    if (dirname(folder) === folder) return;
  }
}

/**
 * Node's own recursive mkdir never returns below a folder that answers ENOENT to everything, as /proc does, and calls a
 * read-only disk ENOENT.
 *
 * @returns the topmost folder that was made, undefined when all were there
 */
function makeFolders(path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A disk that is read-only says so also of a folder that is there.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
  }
  const made = makeFolders(dirname(path));
  return makeFolders(path) === undefined ? made : (made ?? path);
}

/** Writes a file of mode 0600 by temporary name, fsync and rename; an existing one is replaced. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = writeTemporary(path, text);
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

/** As writePrivateFile, but never replaces: false when the file exists already, whole or not at all. */
export function createPrivateFile(path: string, text: string): boolean {
  const temporary = writeTemporary(path, text);
  try {
    linkSync(temporary, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Makes an empty file of mode 0600 for a library that would make it with another; one that is there stays. */
export function touchPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Writes texts or bytes to a file of mode 0600 as they come, by temporary name, fsync and link: whole or not at all.
 *
 * @param replace whether a file that is there may go
 * @returns false when one is there and may not; the texts were read then
 */
export async function streamPrivateFile(
  path: string,
  texts: AsyncIterable<string | Uint8Array>,
  { replace }: { replace: boolean },
): Promise<boolean> {
  const temporary = temporaryBeside(path);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      for await (const text of texts) await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (replace) renameSync(temporary, path);
    else linkSync(temporary, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Refuses a secret's file that others may read (A197).
 *
 * @throws UnsafeFile naming the path and the cure; ENOENT as it comes
 */
export function requirePrivateFile(path: string): void {
  const info = statSync(path); // Of the target: a link itself may always be read.
  if (process.platform === 'win32') return;
  if ((info.mode & 0o077) !== 0) {
    throw new UnsafeFile(`${path} may be read by others (mode ${(info.mode & 0o777).toString(8)})`);
  }
}

const temporaryBeside = (path: string): string =>
  join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`);

function writeTemporary(path: string, text: string): string {
  const temporary = temporaryBeside(path);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return temporary;
}

/** Makes names in a folder survive a power cut: those of files that were just made, renamed or removed. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
