import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isoTime } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Database } from '#kernel/db/database.ts';
import {
  type BackupPlace,
  FILES_FORMAT,
  type FileSetRecord,
  type FilesState,
  listFileSets,
  newIdentity,
  readFilesState,
  setName,
  stampOf,
  streamFolder,
} from '#platform/backup/index.ts';
import { readInstallationId } from '#platform/installation/index.ts';
import { sealingOf } from '../../options.ts';
import { putText } from '../base.ts';
import { isSealedAsNow, sealedFor, sealedText } from '../log.ts';

/**
 * The set that files are shipped into: the one that this machine shipped into before, while the same keys are to open it
 * and the place has it. One that is not encrypted is found in the place, too; an encrypted one is not, since whoever
 * writes there could have it encrypted to himself.
 *
 * @throws StorageFailure when the place cannot be reached
 */
export async function openFileSet(
  config: Config,
  database: Database,
  place: BackupPlace,
  nowMs: number,
): Promise<FilesState> {
  const sealing = sealingOf(config);
  const installation = await readInstallationId(database);
  const there = (await listFileSets(place)).filter(
    (set) => set.installation === installation && set.v === FILES_FORMAT,
  );
  const noted = readFilesState(config);
  if (
    noted?.set.installation === installation &&
    there.some(({ id }) => id === noted.set.id) &&
    (await isSealedAsNow(noted, noted.set.identity, sealing))
  )
    return noted;
  const open = sealing === null ? there.findLast(({ recipient }) => recipient === null) : undefined;
  const set = open ?? (await beginSet(config, place, installation, nowMs));
  return {
    set,
    sealedFor: sealedFor(sealing),
    left: 0,
    comparedAt: null,
    leftSince: null,
    waitingSince: isoTime(nowMs),
  };
}

/** Its files are encrypted to a key of its own, as those of a log are. */
async function beginSet(
  config: Config,
  place: BackupPlace,
  installation: string | null,
  nowMs: number,
): Promise<FileSetRecord> {
  const sealing = sealingOf(config);
  const createdAt = isoTime(nowMs);
  const key = sealing === null ? null : await newIdentity();
  const set: FileSetRecord = {
    kind: 'appctl-stream-files',
    v: FILES_FORMAT,
    id: `${stampOf(createdAt)}-${randomBytes(4).toString('hex')}`,
    createdAt,
    installation,
    recipient: key?.recipient ?? null,
    identity: await sealedText(key?.identity, sealing),
  };
  await putText(place, setName(set.id), JSON.stringify(set, null, 2), join(streamFolder(config), 'set.json'));
  return set;
}
