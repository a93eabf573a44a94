import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { isoTime, SECONDS_PER_DAY, systemClock } from '#kernel/clock.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { moveFile, syncFolderLater } from '#kernel/steady-file.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import type { BackupPlace, PlacedFile } from './place-types.ts';

const PART = /^\.appctl-[0-9a-f]{16}\.part$/;
const OLD_MS = SECONDS_PER_DAY * 1000;

/** A folder of this machine; it is made by the first file. */
export function folderPlace(root: string): BackupPlace {
  const pathOf = (name: string): string => {
    const path = join(root, name);
    if (name.startsWith('/') || relative(root, path).startsWith('..')) throw new Error('not a name');
    return path;
  };
  const guarded = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw explained(root, error);
    });
  return {
    kind: 'file',
    display: root,
    put: (name, { path }) => guarded(put(root, pathOf(name), path)),
    claim: (name) => guarded(claim(root, name)),
    read: (name, range) => guarded(read(pathOf(name), range)),
    list: (prefix = '') => listed(root, prefix),
    remove: (name) => guarded(remove(root, pathOf(name))),
  };
}

async function put(root: string, target: string, path: string): Promise<void> {
  const folder = dirname(target);
  await ensureRoot(root);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined)
    for (let fresh = folder; fresh.length >= made.length; fresh = dirname(fresh))
      await syncFolderLater(dirname(fresh));
  await moveFile(path, target, { part: join(folder, `.appctl-${randomBytes(8).toString('hex')}.part`) });
}

/** Asynchronous, because a disk that is away must not stop the whole process: a server puts files here each second. */
async function ensureRoot(root: string): Promise<void> {
  const isThere = await stat(root).then(
    (info) => info.isDirectory(),
    () => false,
  );
  if (!isThere) ensurePrivateFolder(root);
}

async function claim(root: string, name: string): Promise<string | null> {
  await ensureRoot(root);
  const path = join(root, `.appctl-${sha256Hex(name).slice(0, 16)}.part`);
  try {
    await (await open(path, 'wx', 0o600)).close();
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
}

async function read(
  path: string,
  range?: readonly [number, number],
): Promise<AsyncIterable<Uint8Array> | null> {
  // A disk that is away has not lost its files.
  const info = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!info?.isFile()) return null;
  const [start, end] = range ?? [0, Number.POSITIVE_INFINITY];
  return createReadStream(path, { start, end });
}

/** What a process that died has left is removed after a day. */
async function* listed(root: string, prefix: string): AsyncGenerator<PlacedFile> {
  const folder = join(root, dirname(`${prefix}x`));
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw explained(root, error);
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const name = relative(root, path);
    if (!entry.isFile()) continue;
    if (!PART.test(entry.name) && !name.startsWith(prefix)) continue;
    const info = await lstat(path).catch(() => null);
    if (info === null) continue;
    if (PART.test(entry.name)) {
      if (info.mtimeMs < systemClock.epochMs() - OLD_MS) await rm(path, { force: true });
      continue;
    }
    yield { name, sizeBytes: info.size, modifiedAt: isoTime(info.mtimeMs) };
  }
}

/** A folder that becomes empty goes with its last file. */
async function remove(root: string, path: string): Promise<void> {
  // At once, not piece by piece: somebody may be reading it, and has all of it until the end then.
  await rm(path, { force: true });
  for (let folder = dirname(path); folder !== root && folder.startsWith(root); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

const NO_FOLDER = ['is not a folder, or a part of its path is not', 'set backup.dir to a folder'] as const;

const CURES: Readonly<Record<string, readonly [string, string]>> = {
  EACCES: ['cannot be used by this user', "make the server's user its owner, with mode 0700"],
  EPERM: ['cannot be used by this user', "make the server's user its owner, with mode 0700"],
  EROFS: ['is on a read-only file system', 'mount it as writable, or set backup.dir to another folder'],
  ENOSPC: ['has no space left', 'free some space, or set backup.dir to a larger disk'],
  EDQUOT: ['is full: the quota is used up', 'free some space, or set backup.dir to a larger disk'],
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  EIO: ['cannot be read or written: the disk reports an error', 'check the disk and its file system'],
};

function explained(root: string, error: unknown): unknown {
  const cure = CURES[(error as NodeJS.ErrnoException).code ?? ''];
  return cure ? new StorageFailure(`the backup folder ${root} ${cure[0]}`, cure[1], error) : error;
}
