import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSteadily } from '#kernel/steady-file.ts';
import { type StoredName, storedText } from '#kernel/storage/kept-notes.ts';
import type { StoredObject } from '#kernel/storage/types.ts';
import {
  type BackupPlace,
  type FileName,
  type FileSetRecord,
  filePartName,
  isNamedBy,
  listStreamFiles,
  type PlacedStreamFile,
  packPart,
  partsOf,
  requireFreeBytes,
  shardOf,
  spanOf,
  streamFolder,
} from '#platform/backup/index.ts';
import type { BackupSource } from '../../source.ts';

/** Where files go. */
export interface FileTarget {
  readonly config: { readonly dataDir: string };
  readonly place: BackupPlace;
  readonly set: FileSetRecord;
  readonly storages: BackupSource['storages'];
  /** Ends it between two parts. */
  readonly signal: AbortSignal;
}

/** The bytes of a file are not those that its name says: they are not shipped over those that may be right. */
export class AlteredFile extends Error {}

/** The disk of this machine does not give a file, for now. */
export class UnreadFile extends Error {}

const PART = /^file-[0-9a-f]{16}\.part$/;

/** Removes what a process that died had ready to store. */
export function dropUnsent(config: FileTarget['config']): void {
  const folder = streamFolder(config);
  for (const name of readdirSync(folder)) if (PART.test(name)) rmSync(join(folder, name), { force: true });
}

/**
 * Stores a file, part by part; those that are there already stay, unless the name had other bytes since they were stored.
 *
 * @returns bytes that were stored; null for a file that is not here any more
 * @throws AlteredFile; UnreadFile; StorageFailure of the place
 */
export async function sendFile(target: FileTarget, name: StoredName): Promise<number | null> {
  const object = await readable(target.storages[name.storage].open(name.location), name);
  if (object === null) return null;
  try {
    // The place first: while it is away a large file is not read over and over.
    const known = await listStreamFiles(target.place, target.set.id, shardOf(name.location), name);
    const file = await readable(nameOf(object, name), name);
    if (!isNamedBy(file)) throw new AlteredFile(`${storedText(file)} on this disk is damaged`);
    const there = partsInForce(known, file);
    let sent = 0;
    for (let part = 1; part <= partsOf(file.size); part += 1) {
      target.signal.throwIfAborted();
      if (there?.has(part)) continue;
      sent += await sendPart(target, object, file, part);
    }
    return sent;
  } finally {
    await object.close();
  }
}

/**
 * The parts that are there and may stay. Of several bytes under one name a restore takes those that were stored last, so
 * others that come back are stored again.
 */
function partsInForce(
  known: readonly PlacedStreamFile[],
  { sha256, size }: FileName,
): ReadonlyMap<number, string> | null {
  const isSame = (one: FileName): boolean => one.sha256 === sha256 && one.size === size;
  const same = known.find(isSame);
  if (same === undefined) return null;
  return known.every((one) => one === same || one.storedAt < same.storedAt) ? same.parts : null;
}

/** Whether the name of a file says nothing of its bytes. */
export const mayHaveAny = ({ location }: StoredName): boolean => isNamedBy({ location, sha256: '' });

/**
 * Whether the bytes on this disk are those that were stored last. Where their name says which they are nothing is read.
 *
 * @param newest of this name in the place; undefined for none
 */
export async function isStored(
  storages: FileTarget['storages'],
  name: StoredName,
  newest: FileName | undefined,
): Promise<boolean> {
  if (newest === undefined) return false;
  if (!mayHaveAny(name)) return true;
  try {
    const object = await storages[name.storage].open(name.location);
    if (object === null) return true;
    try {
      if (object.size !== newest.size) return false;
      return (await nameOf(object, name)).sha256 === newest.sha256;
    } finally {
      await object.close();
    }
  } catch {
    // Whoever sends it says why it cannot be read.
    return false;
  }
}

const readable = <T>(work: Promise<T>, name: StoredName): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new UnreadFile(`${storedText(name)} cannot be read: ${(cause as Error).message}`, { cause });
  });

async function nameOf(object: StoredObject, { storage, location }: StoredName): Promise<FileName> {
  const sum = createHash('sha256');
  for await (const chunk of object.read(0, object.size - 1)) sum.update(chunk);
  return { storage, location, size: object.size, sha256: sum.digest('hex') };
}

async function sendPart(
  { config, place, set }: FileTarget,
  object: StoredObject,
  file: FileName,
  part: number,
): Promise<number> {
  const [start, end] = spanOf(file, part);
  requireFreeBytes(config.dataDir, end - start, 'the stream of backups');
  const path = join(streamFolder(config), `file-${randomBytes(8).toString('hex')}.part`);
  const sum = createHash('sha256');
  let size = 0;
  const packed = await packPart(file, part, object.read(start, end - 1), set.recipient);
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of packed) {
      sum.update(chunk);
      size += chunk.byteLength;
      yield chunk;
    }
  };
  try {
    await writeSteadily(path, counted());
    await place.put(filePartName(set.id, file, part), { path, size, sha256: sum.digest('hex') });
    return end - start;
  } finally {
    await rm(path, { force: true });
  }
}
