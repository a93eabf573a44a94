import { randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '#kernel/clock.ts';
import { holdFile } from '#kernel/db/held-file.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { sizeText } from '#kernel/size-words.ts';
import { removeFolderSteadily, removeSteadily } from '#kernel/steady-file.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';
import { availableBytes, RESERVE_BYTES } from '#kernel/storage/room.ts';

/** A folder for files on their way. It goes with its owner: what a process that was killed left, the next one removes. */
export interface WorkFolder {
  readonly path: string;
  file(name: string): string;
  /** Files elsewhere that belong to this work until `forget`; they are removed with the folder. */
  owns(path: string): void;
  forget(path: string): void;
  remove(): Promise<void>;
}

export const WORK_FOLDER = 'backup-work';
const LOCK = 'lock';
const OWNED = 'elsewhere.json';
/** Somebody is just making it, or removing it. */
const NEW_MS = 60_000;
const BEGUN = 'new-';

/** Opens one in a data directory, and removes those whose process has died. */
export async function openWorkFolder(dataDir: string): Promise<WorkFolder> {
  const root = join(dataDir, WORK_FOLDER);
  ensurePrivateFolder(root);
  await removeDead(root);
  const { path, held } = await beginFolder(root);
  const elsewhere = new Set<string>();
  const note = (): void => writeFileSync(join(path, OWNED), JSON.stringify([...elsewhere]), { mode: 0o600 });
  return {
    path,
    file: (name) => join(path, name),
    owns(file) {
      elsewhere.add(file);
      note();
    },
    forget(file) {
      elsewhere.delete(file);
      note();
    },
    async remove() {
      for (const file of elsewhere) await removeSteadily(file);
      await removeFolderSteadily(path);
      held.release();
    },
  };
}

/** It has its name once it is held: until then another process could take it for one of a dead process. */
async function beginFolder(root: string): Promise<{ path: string; held: { release(): void } }> {
  const name = randomBytes(8).toString('hex');
  const [begun, path] = [join(root, BEGUN + name), join(root, name)];
  ensurePrivateFolder(begun);
  const held = await holdFile(join(begun, LOCK));
  if (held === null) throw new Error(`${begun} is in use`);
  renameSync(begun, path);
  return { path, held };
}

/** Null where somebody works in one, or removes it just now. */
async function holdFolder(path: string): Promise<{ release(): void } | null> {
  try {
    return await holdFile(join(path, LOCK), false);
  } catch (error) {
    if (existsSync(join(path, LOCK))) throw error;
    return null;
  }
}

/** Whether somebody works in one. */
export async function isHeld(path: string): Promise<boolean> {
  if (!existsSync(join(path, LOCK))) return false;
  const held = await holdFolder(path);
  held?.release();
  return held === null && existsSync(path);
}

async function removeDead(root: string): Promise<void> {
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    const info = statSync(path, { throwIfNoEntry: false });
    const isWhole = existsSync(join(path, LOCK)) && !name.startsWith(BEGUN);
    if (!info || (!isWhole && info.mtimeMs > systemClock.epochMs() - NEW_MS)) continue;
    const held = isWhole ? await holdFolder(path) : { release: () => undefined };
    // Somebody works in it.
    if (held === null) continue;
    for (const file of ownedElsewhere(path)) await removeSteadily(file);
    await removeFolderSteadily(path);
    held.release();
  }
}

function ownedElsewhere(path: string): string[] {
  try {
    return JSON.parse(readFileSync(join(path, OWNED), 'utf8')) as string[];
  } catch {
    return [];
  }
}

/** Bytes that a user may still write on the disk of a folder, which need not be there yet; Infinity when unknown. */
export function freeBytes(folder: string): number {
  return availableBytes(statfsSync(nearest(folder)));
}

const nearest = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() || dirname(path) === path
    ? path
    : nearest(dirname(path));

/** The same number for two folders of one disk; they need not be there yet. */
export const diskOf = (folder: string): number => statSync(nearest(folder)).dev;

/** @throws StorageFailure (9) when a disk does not have so much, and what the server needs */
export function requireFreeBytes(folder: string, bytes: number, what: string): void {
  const free = freeBytes(folder);
  if (free >= bytes + RESERVE_BYTES) return;
  throw new StorageFailure(
    `${what} needs ${sizeText(bytes)} in ${folder} and ${sizeText(RESERVE_BYTES)} to spare, but only ${sizeText(free)} is free`,
    'free up space on that disk, or choose another one',
  );
}
