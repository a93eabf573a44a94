import { existsSync } from 'node:fs';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Database } from '#kernel/db/database.ts';
import { type StorageName, storedText } from '#kernel/storage/kept-notes.ts';
import {
  type BackupPlace,
  type FileSetRecord,
  listBackups,
  listBases,
  listFileSets,
  listLogs,
  listStreamFiles,
  type PlacedStreamFile,
  readFilesState,
  readGoneFiles,
  SHARDS,
  setName,
  shardOf,
  writeGoneFiles,
} from '#platform/backup/index.ts';
import { namedFiles } from '../../queries.ts';
import { storagesOf } from '../../source.ts';

interface Pruning {
  readonly config: Config;
  readonly database: Database;
  /** Whose files these are: others in the place are left alone. */
  readonly installation: string | null;
  /** Backups that are not kept any more, though they may be there still. */
  readonly withoutBackups: readonly string[];
  readonly dryRun: boolean;
}

/** What is known of the files of one run. */
interface Judging {
  readonly config: Config;
  /** The oldest state that can be restored, ISO. */
  readonly oldest: string;
  /** The set in use, by what this machine noted; null: nothing goes because it is in another set. */
  readonly newest: FileSetRecord | null;
  /** Files that lie here or that a row names. */
  readonly used: ReadonlySet<string>;
  readonly goneBefore: Readonly<Record<string, string>>;
  readonly gone: Record<string, string>;
  /** What is gone is noted as of this moment, ISO. */
  readonly now: string;
  /** Whole in the set in use. */
  readonly inNewest: Set<string>;
}

/**
 * Removes files from the stream that no kept backup and no state of the stream can name: they are neither here nor named
 * by a row, and were not already when the oldest of those was made. What lies in another set goes once all states are
 * younger than the set in use, if that has it too.
 *
 * @returns how many, or how many would be
 */
export async function pruneStreamFiles(place: BackupPlace, pruning: Pruning): Promise<number> {
  const { installation, config, dryRun } = pruning;
  const listed = (await listFileSets(place)).filter((set) => set.installation === installation);
  // Not the one that was begun last: after encryption was turned off the set before it goes on.
  const inUse = readFilesState(config)?.set.id;
  const newest = listed.find(({ id }) => id === inUse) ?? null;
  // What it has is known before the others are judged.
  const sets = [...listed.filter((set) => set === newest), ...listed.filter((set) => set !== newest)];
  const states = sets.length > 0 ? await statesIn(place, pruning) : [];
  const [oldest] = states;
  if (oldest === undefined) return 0;
  const last = states.at(-1) ?? '';
  const now = isoTime(systemClock.epochMs());
  const judging: Judging = {
    config,
    oldest,
    newest,
    used: await usedFiles(pruning),
    goneBefore: readGoneFiles(config),
    gone: {},
    // A clock that is behind must not make it long ago.
    now: now > last ? now : last,
    inNewest: new Set(),
  };
  let removed = 0;
  for (const set of sets) removed += await pruneSet(place, set, judging, dryRun);
  if (!dryRun) {
    // What came back meanwhile was forgotten there.
    const { goneBefore, gone } = judging;
    const still = readGoneFiles(config);
    for (const name of Object.keys(gone))
      if (goneBefore[name] !== undefined && still[name] === undefined) delete gone[name];
    writeGoneFiles(config, gone);
  }
  return removed;
}

/** Moments of which something can be restored, the oldest first. */
async function statesIn(
  place: BackupPlace,
  { installation, withoutBackups }: Pruning,
): Promise<readonly string[]> {
  const logs = (await listLogs(place)).filter((log) => log.installation === installation);
  const ids = new Set(logs.map(({ id }) => id));
  const bases = (await listBases(place)).filter(({ log }) => ids.has(log));
  const backups = (await listBackups(place)).filter(
    ({ file, sidecar }) =>
      !withoutBackups.includes(file) && (sidecar === null || sidecar.installation === installation),
  );
  return [...bases.map(({ takenAt }) => takenAt), ...backups.map(({ createdAt }) => createdAt)].sort();
}

async function usedFiles({ config, database }: Pruning): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for await (const file of namedFiles(database)) used.add(storedText(file));
  const storages = storagesOf(config);
  for (const storage of Object.keys(storages) as StorageName[])
    for await (const location of storages[storage].all()) used.add(storedText({ storage, location }));
  return used;
}

async function pruneSet(
  place: BackupPlace,
  set: FileSetRecord,
  judging: Judging,
  dryRun: boolean,
): Promise<number> {
  let removed = 0;
  let kept = 0;
  for (const shard of SHARDS) {
    const gone = readGoneFiles(judging.config);
    const newer = new Set<string>();
    for (const file of await listStreamFiles(place, set.id, shard)) {
      const isOutdated = newer.has(storedText(file));
      if (file.isWhole && file.storedAt < judging.oldest) newer.add(storedText(file));
      const goes = isOutdated
        ? await isStillOutdated(place, set, file)
        : isSuperfluous(file, set, judging) && !(await isBack(file, gone, judging));
      if (!goes) {
        kept += 1;
        continue;
      }
      removed += 1;
      if (!dryRun) for (const name of file.parts.values()) await place.remove(name);
    }
  }
  const { newest, oldest } = judging;
  const isEmpty = kept === 0 && newest !== null && set !== newest && set.createdAt < oldest;
  if (isEmpty && !dryRun) await place.remove(setName(set.id));
  return removed;
}

/** The same bytes may have been stored again under the same name. */
async function isStillOutdated(
  place: BackupPlace,
  set: FileSetRecord,
  file: PlacedStreamFile,
): Promise<boolean> {
  const [newest] = await listStreamFiles(place, set.id, shardOf(file.location), file);
  return newest?.sha256 !== file.sha256;
}

/** Whether what was gone was kept again since this run began. @param gone as it is noted now */
async function isBack(
  file: PlacedStreamFile,
  gone: Readonly<Record<string, string>>,
  { config, used, goneBefore }: Judging,
): Promise<boolean> {
  const name = storedText(file);
  // It goes from another set than the one in use.
  if (used.has(name)) return false;
  if (goneBefore[name] !== undefined && gone[name] === undefined) return true;
  const { bundlesDir, mediaDir } = config.storage;
  const storage = storagesOf(config)[file.storage];
  try {
    const object = await storage.open(file.location);
    await object?.close();
    return object !== null;
  } catch {
    // What cannot be asked may have it; a folder that is not there has nothing.
    return storage.kind !== 'file' || existsSync(file.storage === 'media' ? mediaDir : bundlesDir);
  }
}

function isSuperfluous(file: PlacedStreamFile, set: FileSetRecord, judging: Judging): boolean {
  const { oldest, newest, used, goneBefore, gone, now, inNewest } = judging;
  const name = storedText(file);
  if (set === newest && file.isWhole) inNewest.add(name);
  if (used.has(name))
    return newest !== null && set !== newest && inNewest.has(name) && newest.createdAt < oldest;
  const since = goneBefore[name] ?? now;
  gone[name] = since;
  return since < oldest;
}
