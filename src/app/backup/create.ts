import { isoTime } from '#kernel/clock.ts';
import {
  isOwnLabel,
  type Manifest,
  noteBackup,
  openBackupPlace,
  openWorkFolder,
  type Sidecar,
  showProgress,
} from '#platform/backup/index.ts';
import { deliver, fileNameOf, sealedIfAsked } from './deliver.ts';
import { type BackupOptions, type BackupWatcher, both, NO_WATCHER } from './options.ts';
import { makeArchive } from './pack.ts';
import type { BackupSource } from './source.ts';

/** A backup that is verified. */
export interface Created {
  readonly sidecar: Sidecar;
  readonly manifest: Manifest;
  /** Where it is: a path, a name in a bucket, `-`. */
  readonly target: string;
  readonly ms: number;
}

/**
 * Makes a backup: a consistent image of the database while a server writes, with bundles, pictures, waiting events and
 * the configuration without its secrets. It gets its name once it was unpacked again into a scratch place and found
 * whole; encrypted it is after that, and read back.
 *
 * @throws AppError VERIFICATION_FAILED; StorageFailure for a place or a disk that cannot take it
 */
export async function createBackup(
  source: BackupSource,
  options: BackupOptions,
  watcher: BackupWatcher = NO_WATCHER,
): Promise<Created> {
  const startedMs = source.clock.monotonicMs();
  const work = await openWorkFolder(source.config.dataDir);
  const watching = both(showProgress(work, source.clock), watcher);
  try {
    const made = await makeArchive(source, options, work, watching);
    const sealed = await sealedIfAsked(made, options, work, watching);
    const { createdAt, version, schemaVersion, database, label, installation, masterKeyId } = made.manifest;
    const place = options.out.to === 'place' ? await openBackupPlace(source.config) : null;
    const file = await fileNameOf(options, createdAt, place, work);
    const sidecar: Sidecar = {
      file,
      createdAt,
      sizeBytes: sealed.size,
      sha256: sealed.sha256,
      version,
      schemaVersion,
      database,
      label,
      verifiedAt: isoTime(source.clock.epochMs()),
      encrypted: options.sealing !== null,
      installation,
      masterKeyId,
    };
    watching.stage('storing', 0);
    const target = await deliver(options.out, place, sealed, sidecar, work);
    // What is made before a change has no pictures and bundles.
    if (target !== '-' && !isOwnLabel(label)) {
      const latest = { createdAt, target, sizeBytes: sealed.size, encrypted: sidecar.encrypted };
      noteBackup(source.config, latest);
    }
    const ms = Math.round(source.clock.monotonicMs() - startedMs);
    return { sidecar, manifest: made.manifest, target, ms };
  } finally {
    await work.remove();
  }
}
