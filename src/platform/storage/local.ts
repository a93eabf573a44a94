import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { access, type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sleep, systemClock } from '#kernel/clock.ts';
import { ensurePrivateFolder, syncFolder } from '#kernel/private-files.ts';
import { DiskFull, StorageFailure } from '#kernel/storage/failure.ts';
import { noteKept } from '#kernel/storage/kept-notes.ts';
import { isLocation, isPartLocation, locationOf } from '#kernel/storage/location.ts';
import { createRangeReader, type ReadRange } from '#kernel/storage/read-file.ts';
import { requireRoom } from '#kernel/storage/room.ts';
import type { ObjectStorage, StagedObject, StoredObject } from '#kernel/storage/types.ts';
import { dropOld, namesIn, one, type Received, receive } from './receive.ts';

/** What a storage is for: each has a folder of its own. */
export type Kept = 'bundles' | 'media';
type Place = { readonly root: string; readonly kept: Kept; readonly dataDir: string | null };

/** Beside the folders of the locations, so that a rename moves within one file system. */
const INCOMING = '.incoming';

/**
 * Reading only; a link is not followed, and the open of a named pipe does not wait for its writer. The two flags are
 * unknown to Windows.
 */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What an open says of a path that is nothing, a link, a socket or below a file. */
const NO_FILE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EMLINK'];

/**
 * Objects as files below a folder of this machine: folders 0700, files 0600, synced before they get their name
 * (decision 0024). The folder is made by the first object.
 *
 * @param root absolute path
 * @param kept what lies there
 * @param dataDir where a stream of backups learns what was kept; null: it does not
 */
export function localStorage(
  root: string,
  kept: Kept = 'bundles',
  dataDir: string | null = null,
): ObjectStorage {
  const incoming = join(root, INCOMING);
  const place: Place = { root, kept, dataDir };
  // One for all: its buffers are shared among the downloads of the process.
  const readRange = createRangeReader();
  return {
    kind: 'file',
    async stage(source, maxBytes, leaveBytes) {
      const room = requireRoom(root, leaveBytes, `, or set ${KEYS[kept]} to a larger one`);
      await explained(place, room);
      const sender = own(source);
      const received = receive(incoming, sender.chunks(), maxBytes);
      return staged(place, await explained(place, received, sender.failure));
    },
    open: (location) => explained(place, openIn(place, location, readRange)),
    remove: (location, olderThan) => explained(place, removeFile(pathOf(root, location), olderThan)),
    list: (olderThan) => listFiles(place, olderThan),
    all: (olderThan) => allFiles(place, olderThan),
    dropAbandoned: (olderThan) => explained(place, dropOld(incoming, olderThan)),
    probe: () => explained(place, probe(root, incoming)),
  };
}

function pathOf(root: string, location: string): string {
  if (!isLocation(location) && !isPartLocation(location)) throw new Error('not a location');
  return join(root, location);
}

function staged(place: Place, { path, size, sha256, sha512 }: Received): StagedObject {
  return {
    size,
    sha256,
    sha512,
    path,
    async keep(location = locationOf(sha256)) {
      await explained(place, keepAt(place, location, path));
      return { location };
    },
    discard: () => rm(path, { force: true }),
  };
}

async function keepAt({ root, kept, dataDir }: Place, location: string, path: string): Promise<void> {
  const target = pathOf(root, location);
  ensurePrivateFolder(dirname(target));
  await rename(path, target);
  syncFolder(dirname(target));
  // Before any row names it: whoever ships files finds it there, and misses none that a row names.
  if (dataDir !== null) noteKept(dataDir, { storage: kept, location });
}

async function openIn(place: Place, location: string, readRange: ReadRange): Promise<StoredObject | null> {
  const object = await openFile(pathOf(place.root, location), readRange);
  if (object === null) await requireRoot(place);
  return object;
}

/**
 * Tells a file that is missing from a storage that is: whoever asks for a file knows of one, so that the folder was there.
 */
async function requireRoot({ root, kept }: Place): Promise<void> {
  const info = await stat(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (info === null)
    throw new StorageFailure(
      `${NAMES[kept]} ${root} is missing`,
      `mount its disk, restore it from a backup, or set ${KEYS[kept]}`,
    );
  if (!info.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}

async function openFile(path: string, readRange: ReadRange): Promise<StoredObject | null> {
  const file = await openOrNull(path);
  if (file === null) return null;
  try {
    const info = await file.stat({ bigint: true });
    if (info.isFile()) {
      await settled(Number(info.ctimeMs));
      return storedObject(file, info, readRange);
    }
    await file.close();
    return null;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openOrNull(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, OPEN_FLAGS);
  } catch (error) {
    if (NO_FILE.includes((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

/** Before Linux 6.13 the clock that files are stamped with moves on every 4 ms, on some machines every 10. */
const TICK_MS = 12;

/** Waits until another change of the file would be stamped with another time, so that its state tells it. */
async function settled(changedMs: number): Promise<void> {
  const leftMs = changedMs + TICK_MS - systemClock.epochMs();
  if (leftMs > 0) await sleep(Math.min(leftMs, TICK_MS));
}

/** The change time is part of the state: unlike the modification time no program sets it back. */
const storedObject = (file: FileHandle, info: BigIntStats, readRange: ReadRange): StoredObject => ({
  size: Number(info.size),
  state: [info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs].join(':'),
  read: (start, end) => readRange(file, start, end),
  close: () => file.close(),
});

async function removeFile(path: string, olderThan?: number): Promise<void> {
  if (olderThan !== undefined) {
    const info = await lstat(path).catch((error: NodeJS.ErrnoException) => {
      if (NO_FILE.includes(error.code)) return null;
      throw error;
    });
    if (info === null || writtenMs(info) >= olderThan) return;
  }
  await rm(path, { force: true });
}

async function* listFiles(place: Place, olderThan: number): AsyncGenerator<string> {
  const { root } = place;
  for (const folder of await explained(place, namesIn(root))) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await namesIn(join(root, folder))) {
      const location = `${folder}/${name}`;
      if (!isLocation(location)) continue;
      const info = await lstat(join(root, location)).catch(() => null);
      if (info?.isFile() && writtenMs(info) < olderThan) yield location;
    }
  }
}

/** The rename into its place counts as writing: it sets the change time and not the modification time. */
const writtenMs = ({ mtimeMs, ctimeMs }: { readonly mtimeMs: number; readonly ctimeMs: number }): number =>
  Math.max(mtimeMs, ctimeMs);

async function* allFiles(place: Place, olderThan = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  for (const folder of await explained(place, namesIn(place.root))) {
    if (!/^(?:[0-9a-f]{2}){1,32}$/.test(folder)) continue;
    for (const name of await namesIn(join(place.root, folder))) {
      const location = `${folder}/${name}`;
      if (!isLocation(location) && !isPartLocation(location)) continue;
      const info = await lstat(join(place.root, location)).catch(() => null);
      if (info?.isFile() && writtenMs(info) < olderThan) yield location;
    }
  }
}

/** A folder that is not there yet is not made by asking: what is above it must allow that. */
async function probe(root: string, incoming: string): Promise<void> {
  const nearest = await nearestPath(root);
  if (!(await stat(nearest)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
  await access(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
  if (nearest !== root) return;
  const bytes = randomBytes(64);
  const received = await receive(incoming, one(bytes), bytes.length);
  try {
    const file = await open(received.path, OPEN_FLAGS);
    const read = await file.readFile().finally(() => file.close());
    if (!read.equals(bytes))
      throw new StorageFailure(`${root} returns different bytes than were stored`, DISK);
  } finally {
    await rm(received.path, { force: true });
  }
}

const DISK = 'check the disk and its file system';

async function nearestPath(path: string): Promise<string> {
  const info = await lstat(path).catch(() => null);
  return info !== null || dirname(path) === path ? path : nearestPath(dirname(path));
}

/** What an operator may set to another folder. */
const KEYS: Record<Kept, string> = { bundles: 'storage.bundles_dir', media: 'storage.media_dir' };
const NAMES: Record<Kept, string> = { bundles: 'the bundle storage', media: 'the picture storage' };

/** `KEY`: the configuration key of the folder. */
const CURES: Record<string, readonly [why: string, hint: string]> = {
  EACCES: ['cannot be read or written by this user', "make the server's user its owner, with mode 0700"],
  EPERM: ['cannot be read or written by this user', "make the server's user its owner, with mode 0700"],
  EROFS: ['is on a read-only file system', 'mount it as writable, or set KEY'],
  ENOSPC: ['has no space left', 'free some space, or set KEY to a larger disk'],
  EDQUOT: ['is full: the quota is used up', 'free some space, or set KEY to a larger disk'],
  EIO: ['cannot be read or written: the disk reports an error', DISK],
  ENOTDIR: ['is not a folder, or a part of its path is not', 'set KEY to a folder'],
};

const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/** What the sender's own failure was: it says nothing about this folder. */
function own(source: AsyncIterable<Uint8Array>) {
  let failure: unknown;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { chunks, failure: () => failure };
}

/** Says of an error of the disk what an operator can do; every other one goes through. */
async function explained<T>({ root, kept }: Place, work: Promise<T>, notOurs?: () => unknown): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const cure = CURES[(error as NodeJS.ErrnoException).code ?? ''];
    if (cure === undefined || error === notOurs?.()) throw error;
    const Failure = FULL.includes((error as NodeJS.ErrnoException).code) ? DiskFull : StorageFailure;
    throw new Failure(`${NAMES[kept]} ${root} ${cure[0]}`, cure[1].replace('KEY', KEYS[kept]), error);
  }
}
