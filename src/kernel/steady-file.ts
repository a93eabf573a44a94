import { createReadStream, fdatasync, openSync } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sleep } from './clock.ts';

/** So much may wait for the disk: others who need it, such as a database that commits, wait for all of it. */
const SYNC_BYTES = 1024 ** 2;
const SYNC_EVERY_MS = 40;
/** So much of a file is given back at once: a commit waits for the file system to note all of it. */
const CUT_BYTES = 64 * 1024 ** 2;
const CUT_EVERY_MS = 20;

/** Writes a large file beside a busy server: what the system would gather and write at once goes to the disk as it comes. */
export interface SteadyFile {
  write(chunk: Uint8Array): Promise<void>;
  /** All of it is on the disk then. */
  sync(): Promise<void>;
}

export function steadily(file: FileHandle): SteadyFile {
  let waiting = 0;
  return {
    async write(chunk) {
      await file.writeFile(chunk);
      waiting += chunk.byteLength;
      if (waiting < SYNC_BYTES) return;
      waiting = 0;
      await file.datasync();
    },
    sync: () => file.sync(),
  };
}

/** Writes a new file of mode 0600. */
export async function writeSteadily(
  path: string,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    const steady = steadily(file);
    for await (const chunk of source) await steady.write(chunk);
    await steady.sync();
  } finally {
    await file.close();
  }
}

/** A copy on its way to its name. */
export interface Moved {
  /** What it is called until all of it is there; a file that has this name is replaced. */
  readonly part: string;
  /** Told that the target is on another disk, before anything is written. What it throws ends the move. */
  begins?(): void;
  /** Looks at the copy before it gets its name. */
  check?(part: string): Promise<void>;
}

/** Gives a file another name; to another disk it is copied. Whoever looks at the name finds all of the file, or none. */
export async function moveFile(from: string, to: string, { part, begins, check }: Moved): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    begins?.();
    try {
      await rm(part, { force: true });
      await writeSteadily(part, createReadStream(from));
      await check?.(part);
      await rename(part, to);
    } finally {
      await rm(part, { force: true });
    }
  }
  await syncFolderLater(dirname(to));
}

/** Removes a file that may be large and that nobody else reads, beside a busy server; none is fine. */
export async function removeSteadily(path: string): Promise<void> {
  const info = await lstat(path).catch(() => null);
  // Only for those beside it: what cannot be shortened is removed at once.
  if (info?.isFile() && info.nlink === 1 && info.size > CUT_BYTES)
    await shorten(path, info.size).catch(() => undefined);
  await rm(path, { force: true });
}

/** Removes a folder with all that is in it, as removeSteadily does. */
export async function removeFolderSteadily(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const info = entry.isFile() ? await lstat(path).catch(() => null) : null;
    // The others go together at the end, among them what shows that somebody has the folder.
    if (info !== null && info.size > CUT_BYTES) await removeSteadily(path);
  }
  await rm(folder, { recursive: true, force: true });
}

async function shorten(path: string, size: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    for (let left = size - CUT_BYTES; left > 0; left -= CUT_BYTES) {
      await file.truncate(left);
      await sleep(CUT_EVERY_MS);
    }
  } finally {
    await file.close();
  }
}

/** As syncFolder, without stopping the process for a disk that is slow. */
export async function syncFolderLater(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Brings to the disk what another process writes into a file, again and again until `isOver`. */
export async function syncWhileWritten(path: string, isOver: () => boolean): Promise<void> {
  let file: FileHandle | null = null;
  try {
    while (!isOver()) {
      file ??= await open(path, 'r').catch(() => null);
      await file?.datasync();
      await sleep(SYNC_EVERY_MS);
    }
  } finally {
    await file?.close();
  }
}

const syncData = promisify(fdatasync);
/** Of database files, by path. They stay open until this process ends. */
const databases = new Map<string, number>();

/**
 * As syncWhileWritten, for a database file that this process may have open. Closing it would end every lock that SQLite
 * holds on it in this process, and another one that closes the database would take itself for the last and remove the
 * log under it (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
export async function syncDatabaseWhileWritten(path: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const file = databases.get(path) ?? openSync(path, 'r');
    databases.set(path, file);
    await syncData(file);
    await sleep(SYNC_EVERY_MS);
  }
}
