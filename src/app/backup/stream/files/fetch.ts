import type { Config } from '#kernel/config/config.ts';
import type { Database } from '#kernel/db/database.ts';
import { AppError } from '#kernel/errors.ts';
import { type StorageName, storedText } from '#kernel/storage/kept-notes.ts';
import {
  type BackupPlace,
  byStoredName,
  diskOf,
  FILES_FORMAT,
  type FileName,
  type FileSetRecord,
  listFileSets,
  listStreamFiles,
  type Opening,
  type PlacedStreamFile,
  partsOf,
  requireFreeBytes,
  shardOf,
  unpackPart,
  unsealText,
} from '#platform/backup/index.ts';
import type { BackupWatcher } from '../../options.ts';
import { type NamedFile, namedFiles } from '../../queries.ts';
import { type BackupSource, storagesOf } from '../../source.ts';

/** A file that a restored row names and that is nowhere. */
export interface MissingFile {
  /** `bundles/ab/ab12…` */
  readonly file: string;
  /** Why, in words. */
  readonly reason: string;
}

/** What became of files that were not here. */
export interface FetchedFiles {
  readonly fetched: number;
  readonly missing: readonly MissingFile[];
}

interface Fetching {
  readonly config: Config;
  readonly place: BackupPlace;
  readonly installation: string | null;
  readonly opening: Opening | null;
  readonly watcher: BackupWatcher;
}

/** A copy of a file in the stream, and what opens it. */
interface Copy {
  readonly file: PlacedStreamFile;
  readonly opening: Opening | null;
}

/**
 * Fetches files from the stream that rows name and that their storage lacks. Each is checked before it gets its name;
 * what is here already stays, so that a restore that was interrupted goes on.
 *
 * @param image database that will be restored
 * @throws StorageFailure when the place cannot be read or a disk has no room
 */
export async function fetchFiles(image: Database, fetching: Fetching): Promise<FetchedFiles> {
  const { config, watcher } = fetching;
  const storages = storagesOf(config);
  const sets = await setsOf(fetching);
  // A bucket has its files of its own accord, and need not be there for a restore of the database.
  const isElsewhere = sets.length === 0 && storages.bundles.kind === 's3';
  const lacking = isElsewhere ? [] : await lackingIn(image, storages);
  if (lacking.length === 0) return { fetched: 0, missing: [] };
  watcher.stage('looking for files', lacking.length);
  const { copies, partial, isLocked } = await copiesOf(lacking, sets, fetching);
  requireRoom(config, storages, copies);
  watcher.stage('fetching files', lacking.length);
  const missing: MissingFile[] = [];
  let unread = 0;
  let isAway = false;
  for (const [done, name] of lacking.entries()) {
    const file = storedText(name);
    const known = copies.get(file) ?? [];
    const isAsked = known.length > 0 && !isAway;
    const found =
      known.length > 0 && isAway ? AWAY : await fetchOne(meantOf(known, name), fetching.place, storages);
    if (isAsked) unread = found?.startsWith(UNREAD) ? unread + 1 : 0;
    if (unread === MOST_UNREAD) {
      isAway = !(await isThere(fetching));
      unread = 0;
    }
    const absent = partial.has(file) ? PARTIAL : isLocked ? LOCKED : NOT_THERE;
    const reason = found === NOT_THERE ? absent : found;
    if (reason !== null) missing.push({ file, reason });
    watcher.progress(done + 1, lacking.length);
  }
  return { fetched: lacking.length - missing.length, missing };
}

const NOT_THERE = 'not in the stream';
const PARTIAL = 'only a part of it is in the stream';
const LOCKED = 'not in the stream, or encrypted to another key';

/** So many files in a row that cannot be read, and the place is asked whether it is there. */
const MOST_UNREAD = 3;

/** One that is away takes half a minute for each file; where only some files are bad, the others are wanted. */
const isThere = (fetching: Fetching): Promise<boolean> =>
  setsOf(fetching).then(
    (sets) => sets.length > 0,
    () => false,
  );

/**
 * Of several bytes under one name those alone that the row means, where it says that and they are there: others in their
 * place would pass for them.
 */
function meantOf(copies: readonly Copy[], { version }: NamedFile): readonly Copy[] {
  if (version === null) return copies;
  const meant = copies.filter(({ file }) => file.sha256.startsWith(version));
  return meant.length > 0 ? meant : copies;
}

async function lackingIn(image: Database, storages: BackupSource['storages']): Promise<NamedFile[]> {
  const wanted = new Map<string, NamedFile>();
  for await (const file of namedFiles(image)) wanted.set(storedText(file), file);
  if (wanted.size === 0) return [];
  for (const storage of Object.keys(storages) as StorageName[])
    for await (const location of storages[storage].all()) wanted.delete(storedText({ storage, location }));
  return [...wanted.values()];
}

/** The newest first. */
const setsOf = async ({ place, installation }: Fetching): Promise<FileSetRecord[]> =>
  (await listFileSets(place))
    .filter((set) => set.installation === installation && set.v <= FILES_FORMAT)
    .reverse();

/** Whole copies, by the name of their file; those of the newest set first. */
async function copiesOf(
  lacking: readonly NamedFile[],
  sets: readonly FileSetRecord[],
  { place, opening }: Fetching,
): Promise<{ copies: Map<string, Copy[]>; partial: ReadonlySet<string>; isLocked: boolean }> {
  const wanted = new Set(lacking.map(storedText));
  const shards = new Set(lacking.map(({ location }) => shardOf(location)));
  const copies = new Map<string, Copy[]>();
  const partial = new Set<string>();
  let isLocked = false;
  for (const set of sets) {
    const opens = await openingOfSet(set, opening);
    if (opens === undefined) {
      isLocked = true;
      continue;
    }
    for (const shard of shards)
      for (const [name, files] of byStoredName(await listStreamFiles(place, set.id, shard))) {
        if (!wanted.has(name)) continue;
        const found = files.filter(({ isWhole }) => isWhole).map((file) => ({ file, opening: opens }));
        if (found.length === 0) partial.add(name);
        copies.set(name, [...(copies.get(name) ?? []), ...found]);
      }
  }
  return { copies, partial, isLocked };
}

/** @returns null for a set that is not encrypted, undefined for one that what was given does not open */
async function openingOfSet(
  { recipient, identity }: FileSetRecord,
  opening: Opening | null,
): Promise<Opening | null | undefined> {
  if (recipient === null) return null;
  if (opening === null || identity === null) return undefined;
  try {
    const text = await unsealText(Buffer.from(identity, 'base64'), opening);
    return { identities: [text.trim()], passphrase: null, tried: opening.tried };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function requireRoom(
  { storage: { bundlesDir, mediaDir } }: Config,
  storages: BackupSource['storages'],
  copies: ReadonlyMap<string, readonly Copy[]>,
): void {
  const bytes = { bundles: 0, media: 0 };
  for (const [first] of copies.values()) if (first) bytes[first.file.storage] += first.file.size;
  const folders = { bundles: bundlesDir, media: mediaDir };
  // Both are on one disk, as a rule.
  const disks = new Map<number, { folder: string; bytes: number }>();
  for (const storage of ['bundles', 'media'] as const) {
    if (storages[storage].kind !== 'file' || bytes[storage] === 0) continue;
    const folder = folders[storage];
    const disk = diskOf(folder);
    disks.set(disk, { folder, bytes: (disks.get(disk)?.bytes ?? 0) + bytes[storage] });
  }
  for (const disk of disks.values()) requireFreeBytes(disk.folder, disk.bytes, 'the files of the restore');
}

/** @returns why there is none; null once it is here */
async function fetchOne(
  copies: readonly Copy[],
  place: BackupPlace,
  storages: BackupSource['storages'],
): Promise<string | null> {
  let reason: string | null = NOT_THERE;
  for (const copy of copies) {
    reason = await take(copy, place, storages);
    if (reason === null) return null;
  }
  return reason;
}

/** What cannot be read is tried once more: it keeps neither the database nor the other files back. */
async function take(copy: Copy, place: BackupPlace, storages: BackupSource['storages']) {
  const first = await takeOnce(copy, place, storages);
  return first?.startsWith(UNREAD) ? takeOnce(copy, place, storages) : first;
}

async function takeOnce(
  { file, opening }: Copy,
  place: BackupPlace,
  storages: BackupSource['storages'],
): Promise<string | null> {
  try {
    const staged = await storages[file.storage].stage(bytesOf(file, place, opening), file.size);
    try {
      if (staged.sha256 !== file.sha256 || staged.size !== file.size) return DAMAGED;
      await staged.keep(file.location);
      return null;
    } finally {
      await staged.discard();
    }
  } catch (error) {
    if (error instanceof UnreadCopy) return `${UNREAD}${error.message}`;
    if (isRefusal(error)) return DAMAGED;
    throw error;
  }
}

/** The place does not give a part of a file. */
class UnreadCopy extends Error {}

const UNREAD = 'could not be read: ';
const AWAY = `${UNREAD}the place of backups does not answer any more`;
const DAMAGED = 'damaged in the stream';

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'VERIFICATION_FAILED' || error.code === 'UNAUTHORIZED');

async function* bytesOf(
  file: PlacedStreamFile,
  place: BackupPlace,
  opening: Opening | null,
): AsyncGenerator<Uint8Array> {
  for (let part = 1; part <= partsOf(file.size); part += 1) {
    const name = file.parts.get(part);
    const stored = name === undefined ? null : await place.read(name).catch(unread);
    // It was listed: a disk that was unmounted since has an empty folder in its place.
    if (stored === null) throw new UnreadCopy('a part of it is gone');
    yield* unpackPart(readBy(stored), { file: nameOf(file), part }, opening);
  }
}

/** Tells what the place says from what is wrong with the bytes, or with the disk that they go to. */
async function* readBy(stored: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stored;
  } catch (error) {
    unread(error);
  }
}

function unread(cause: unknown): never {
  throw new UnreadCopy(cause instanceof Error ? cause.message : String(cause), { cause });
}

const nameOf = ({ storage, location, sha256, size }: PlacedStreamFile): FileName => ({
  storage,
  location,
  sha256,
  size,
});
