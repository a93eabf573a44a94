import { once } from 'node:events';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import {
  identitiesIn,
  type Manifest,
  type Opening,
  openBackupPlace,
  partsOfName,
  readSidecar,
  readSidecarBeside,
  type Sidecar,
  sizeInPlace,
} from '#platform/backup/index.ts';
import type { BackupWatcher } from '../../app/backup/options.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';

/** A backup that a command line names. */
export interface NamedBackup {
  /** Path, or address. */
  readonly display: string;
  readonly sizeBytes: number | null;
  readonly sidecar: Sidecar | null;
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** Finds a backup by a path or by its name in the place. @throws CliError (3) */
export async function findBackup(cli: Cli, config: Config): Promise<NamedBackup> {
  const given = cli.argument('file');
  const path = resolve(given);
  if (existsSync(path)) {
    const info = statSync(path);
    if (!info.isFile()) throw usageError(`${given} is not a file`, 'choose a backup file');
    const sidecar = readSidecarBeside(path, basename(path));
    return { display: path, sizeBytes: info.size, sidecar, open: () => opened(path) };
  }
  const place = partsOfName(given) === null ? null : await openBackupPlace(config);
  const sizeBytes = place && (await sizeInPlace(place, given));
  if (!place || sizeBytes === null)
    throw notFoundError(`the backup ${given} was not found`, 'to see all: appctl backup list');
  const sidecar = await readSidecar(place, given);
  return {
    display: `${place.display}/${given}`,
    sizeBytes,
    sidecar,
    async open() {
      const found = await place.read(given);
      if (found === null) throw notFoundError(`the backup ${given} was not found`);
      return found;
    },
  };
}

/** Opens it before the process gives up rights that only its first user has. */
async function opened(path: string): Promise<AsyncIterable<Uint8Array>> {
  const stream = createReadStream(path);
  await once(stream, 'open');
  return stream;
}

/** What opens an encrypted backup, from the flags, else from the configuration; null for nothing. */
export async function openingOf(cli: Cli, { backup }: Config): Promise<Opening | null> {
  const file = cli.option('identity');
  if (file !== undefined) {
    const identities = identitiesIn(await cli.readText('--identity', file));
    if (identities.length === 0)
      throw usageError(
        `--identity: ${file} contains no private key`,
        'choose the file that appctl backup keygen wrote',
      );
    return { identities, passphrase: null, tried: `--identity ${file}` };
  }
  const secret = await cli.secret('passphrase', { label: 'passphrase', optional: true });
  if (secret) return { identities: [], passphrase: secret.value, tried: secret.tried };
  if (backup.passphrase === undefined) return null;
  return { identities: [], passphrase: backup.passphrase, tried: 'backup.passphrase of the configuration' };
}

/** Shows the stages of a backup one after the other. */
export function watcherOf(cli: Cli): BackupWatcher & { stop(): void } {
  let shown: Awaited<ReturnType<Cli['byteProgress']>> | null = null;
  let stage = 0;
  const stop = (): void => {
    stage += 1;
    shown?.stop();
    shown = null;
  };
  return {
    stage(name, total) {
      stop();
      const own = stage;
      void cli.byteProgress(name, total).then((progress) => {
        // It may be over before it could be shown.
        if (own === stage) shown = progress;
        else progress.stop();
      });
    },
    progress(done) {
      shown?.update(done);
    },
    stop,
  };
}

/** What a command prints of a manifest. */
export const manifestView = (manifest: Manifest) => ({
  version: manifest.version,
  schemaVersion: manifest.schemaVersion,
  database: manifest.database,
  tables: manifest.tables,
  files: Object.keys(manifest.files).length,
  masterKeyId: manifest.masterKeyId,
  installation: manifest.installation,
  createdAt: manifest.createdAt,
  excluded: manifest.excluded,
});
