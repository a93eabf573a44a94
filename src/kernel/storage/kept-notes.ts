// Notes of files that a storage on this machine has kept, for the stream of backups: an empty file each, in a folder that
// is there only where a stream runs. Every process that keeps a file leaves one, whichever configuration it was given.
import { closeSync, openSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '../clock.ts';
import { syncFolder } from '../private-files.ts';
import { isLocation, isPartLocation } from './location.ts';

/** The two storages of an installation. */
export type StorageName = 'bundles' | 'media';

/** A file of a storage. */
export interface StoredName {
  readonly storage: StorageName;
  readonly location: string;
}

/** Ending of a note whose file is just being shipped: the same file may be kept again meanwhile. */
const TAKEN = '~';
const NOTE = /^(bundles|media)-([0-9a-f]{2,64})-([0-9a-z]{1,64})(~?)$/;

/** The folder of the notes. */
export const keptNotesFolder = (dataDir: string): string => join(dataDir, 'stream', 'files');

/** `bundles/ab/ab12…`: how a file is called for people, and in parts of the stream. */
export const storedText = ({ storage, location }: StoredName): string => `${storage}/${location}`;

const noteOf = ({ storage, location }: StoredName): string => `${storage}-${location.replace('/', '-')}`;

/** Leaves a note that a file is in its place, on the disk; nothing happens where no stream has its folder. */
export function noteKept(dataDir: string, file: StoredName): void {
  const folder = keptNotesFolder(dataDir);
  try {
    closeSync(openSync(join(folder, noteOf(file)), 'w', 0o600));
  } catch (error) {
    if (NO_FOLDER.includes((error as NodeJS.ErrnoException).code)) return;
    throw error;
  }
  syncFolder(folder);
}

const NO_FOLDER: readonly unknown[] = ['ENOENT', 'ENOTDIR'];

/** The files that are noted, each once, in no order. */
export async function keptNotes(dataDir: string): Promise<StoredName[]> {
  const found = new Map<string, StoredName>();
  for (const name of await namesIn(dataDir)) {
    const file = fileOf(name);
    if (file !== null) found.set(noteOf(file), file);
  }
  return [...found.values()];
}

/** How many are noted, and since when the oldest of them waits (ISO). */
export async function keptNotesWaiting(dataDir: string): Promise<{ count: number; since: string | null }> {
  const folder = keptNotesFolder(dataDir);
  const files = new Set<string>();
  let sinceMs = Number.POSITIVE_INFINITY;
  for (const name of await namesIn(dataDir)) {
    const file = fileOf(name);
    const info = file && (await stat(join(folder, name)).catch(() => null));
    if (!file || !info) continue;
    files.add(noteOf(file));
    sinceMs = Math.min(sinceMs, info.mtimeMs);
  }
  return { count: files.size, since: files.size === 0 ? null : isoTime(sinceMs) };
}

const namesIn = (dataDir: string): Promise<string[]> => readdir(keptNotesFolder(dataDir)).catch(() => []);

function fileOf(name: string): StoredName | null {
  const [, storage, folder, file] = NOTE.exec(name) ?? [];
  const location = `${folder}/${file}`;
  if (storage === undefined || !(isLocation(location) || isPartLocation(location))) return null;
  return { storage: storage as StorageName, location };
}

/** Takes a note up: one that is left from now on is another one. */
export async function takeNote(dataDir: string, file: StoredName): Promise<void> {
  const path = join(keptNotesFolder(dataDir), noteOf(file));
  await rename(path, path + TAKEN).catch((error: NodeJS.ErrnoException) => {
    // A process that ended has taken it up before.
    if (error.code !== 'ENOENT') throw error;
  });
}

/** What a note that was taken up asks for is done. */
export const dropNote = (dataDir: string, file: StoredName): Promise<void> =>
  rm(join(keptNotesFolder(dataDir), noteOf(file) + TAKEN), { force: true });

/** Nobody takes notes up any more: none is left from now on. A stream that begins later compares everything. */
export const endNotes = (dataDir: string): Promise<void> =>
  rm(keptNotesFolder(dataDir), { recursive: true, force: true });
