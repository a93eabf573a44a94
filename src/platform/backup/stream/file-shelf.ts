import { text } from 'node:stream/consumers';
import { type StoredName, storedText } from '#kernel/storage/kept-notes.ts';
import type { BackupPlace } from '../place-types.ts';
import {
  type FileName,
  filePartOf,
  namePrefix,
  partPrefix,
  partsOf,
  SETS,
  shardFolder,
  spanOf,
} from './file-names.ts';
import { FileSetRecord } from './file-records.ts';

const MOST_RECORD_BYTES = 65_536;

/** The sets of files in a place, the oldest first. What cannot be read as one is left out. */
export async function listFileSets(place: BackupPlace): Promise<FileSetRecord[]> {
  const names: string[] = [];
  for await (const { name } of place.list(SETS)) if (name.endsWith('.json')) names.push(name);
  const found: FileSetRecord[] = [];
  for (const name of names) {
    const bytes = await place.read(name, [0, MOST_RECORD_BYTES - 1]);
    if (bytes === null) continue;
    try {
      found.push(FileSetRecord.parse(JSON.parse(await text(bytes))));
    } catch {
      // Not ours, or of a program that writes them otherwise.
    }
  }
  return found.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** A file in a set, as far as its parts are there. */
export interface PlacedStreamFile extends FileName {
  /** Names of its parts, by number. */
  readonly parts: ReadonlyMap<number, string>;
  /** All of them are there. */
  readonly isWhole: boolean;
  /** ISO, of the part that came last. */
  readonly storedAt: string;
}

/**
 * Files of a set whose location begins with two digits, the newest first.
 *
 * @param only of this name, with each of the bytes that it has had
 */
export async function listStreamFiles(
  place: BackupPlace,
  set: string,
  shard: string,
  only?: StoredName,
): Promise<PlacedStreamFile[]> {
  const folder = shardFolder(set, shard);
  const found = new Map<string, { file: FileName; parts: Map<number, string>; storedAt: string }>();
  for await (const { name, sizeBytes, modifiedAt } of place.list(folder + (only ? namePrefix(only) : ''))) {
    const named = filePartOf(name.slice(folder.length));
    if (named === null || (only && storedText(named.file) !== storedText(only))) continue;
    const { file, part } = named;
    const [start, end] = spanOf(file, part);
    const key = partPrefix(file);
    const known = found.get(key) ?? { file, parts: new Map<number, string>(), storedAt: '' };
    // One that is shorter than its bytes was cut: it is sent again.
    if (sizeBytes > end - start) known.parts.set(part, name);
    if (modifiedAt > known.storedAt) known.storedAt = modifiedAt;
    found.set(key, known);
  }
  return [...found.values()]
    .map(({ file, parts, storedAt }) => ({
      ...file,
      parts,
      storedAt,
      isWhole: parts.size === partsOf(file.size),
    }))
    .sort((one, other) => (one.storedAt < other.storedAt ? 1 : -1));
}

/** Files by the storage and location that they are of; of several with other bytes the newest first. */
export function byStoredName<T extends StoredName>(files: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const file of files) {
    const key = storedText(file);
    const known = found.get(key);
    if (known) known.push(file);
    else found.set(key, [file]);
  }
  return found;
}
