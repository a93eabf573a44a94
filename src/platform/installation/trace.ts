import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { writePrivateFile } from '#kernel/private-files.ts';

/** What `{data_dir}/installation` says: which database belongs to this directory. */
export interface InstallationFile {
  /** Id of the installation, `ins_` and a ULID. */
  readonly id: string;
  /** First characters of the digest of its master key, as the database names it. */
  readonly masterKeyId: string;
}

const fileOf = (dataDir: string): string => join(dataDir, 'installation');

/**
 * @returns null when there is none; one that cannot be read counts as one that says nothing
 * @throws ConfigError (78) when something else has its place: reading a pipe would wait forever
 */
export function readInstallationFile({ dataDir }: Pick<Config, 'dataDir'>): Partial<InstallationFile> | null {
  const found = lstatSync(fileOf(dataDir), { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isFile()) throw notAFile(fileOf(dataDir));
  try {
    const { id, masterKeyId } = JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as InstallationFile;
    return { id, masterKeyId };
  } catch {
    return {};
  }
}

const notAFile = (path: string): ConfigError =>
  new ConfigError([
    { key: 'data_dir', message: `${path} is not a regular file`, hint: `remove ${path} and start again` },
  ]);

/** Writes it with mode 0600, where it says something else. */
export function keepInstallationFile(config: Pick<Config, 'dataDir'>, file: InstallationFile): void {
  const present = readInstallationFile(config);
  if (present?.id === file.id && present.masterKeyId === file.masterKeyId) return;
  writePrivateFile(fileOf(config.dataDir), `${JSON.stringify(file, null, 2)}\n`);
}

/**
 * What in the data directory shows that an installation was served from it: its file, or the master key that `serve`
 * made. A key that was given from outside shows nothing.
 *
 * @returns path; null for a first start
 */
export function traceOfInstallation({
  dataDir,
  masterKey,
  masterKeyFile,
}: Pick<Config, 'dataDir' | 'masterKey' | 'masterKeyFile'>): string | null {
  if (existsSync(fileOf(dataDir))) return fileOf(dataDir);
  return masterKey === undefined && existsSync(masterKeyFile) ? masterKeyFile : null;
}

/** How a lost database is cured. */
export const LOST_HINT =
  'restore the database from a backup (appctl restore), or correct database.url; appctl serve --fresh begins a new installation';

/** @param trace what shows that there was one; @param state `missing` or `empty` */
export const lostDatabase = (trace: string, url: string, state: 'missing' | 'empty'): ConfigError =>
  new ConfigError([{ key: 'database.url', message: lostMessage(trace, url, state), hint: LOST_HINT }]);

/** @param id of the installation in the database; @param ours of the one that the data directory belongs to */
export const foreignDatabase = (dataDir: string, url: string, id: string, ours: string): ConfigError =>
  new ConfigError([
    { key: 'database.url', message: foreignMessage(url, id, ours), hint: foreignHint(dataDir) },
  ]);

export const foreignMessage = (url: string, id: string, ours: string): string =>
  `${url} holds installation ${id}, but the data directory belongs to installation ${ours}`;

export const foreignHint = (dataDir: string): string =>
  `correct database.url or --data-dir; to use this database here from now on, remove ${fileOf(dataDir)}`;

export const lostMessage = (trace: string, url: string, state: 'missing' | 'empty'): string =>
  `${trace} belongs to an installation whose database is ${state}: ${url}`;

/** @param of id of the installation that is copied */
export const unfinishedCopy = (url: string, of: string): ConfigError =>
  new ConfigError([{ key: 'database.url', message: unfinishedMessage(url, of), hint: UNFINISHED_HINT }]);

export const unfinishedMessage = (url: string, of: string): string =>
  `${url} holds a copy of installation ${of} that is not complete`;

export const UNFINISHED_HINT =
  'run the appctl db copy or appctl restore that was interrupted again: a copy goes on, a restore begins anew';

/** In which database the installation is, and in which ones it was before (decision 0100). */
export const servedFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'served');

/** While it is there, a restore is replacing the data of a directory. */
export const restoreJournal = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'restore.json');

/** @throws ConfigError (78) while a restore has not ended, or when it was interrupted */
export function refuseHalfRestored(config: Pick<Config, 'dataDir'>): void {
  if (!existsSync(restoreJournal(config))) return;
  const message = `a restore into ${config.dataDir} has not ended: it is running, or was interrupted`;
  const hint = 'wait for it, or finish it: appctl restore --continue';
  throw new ConfigError([{ key: 'data_dir', message, hint }]);
}
