import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '#kernel/config/errors.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { becomeOwnerOf } from '#kernel/process-identity.ts';

/**
 * Makes the data directory where it is missing.
 *
 * @throws ConfigError (78) when it cannot be made, or when a file has its place
 */
export function makeDataDirectory(path: string): void {
  try {
    ensurePrivateFolder(path);
  } catch (error) {
    throw unusable(path, error as NodeJS.ErrnoException);
  }
}

/**
 * Refuses a data directory in which this process could make nothing: what comes next would fail one file later, with
 * the driver's words.
 *
 * @throws ConfigError (78)
 */
export function requireWritableDirectory(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error as NodeJS.ErrnoException);
  }
}

/** Where systemd keeps the folders of services that have no account (DynamicUser): only root may enter. */
const PRIVATE = '/var/lib/private/';

/**
 * Makes a process of root the owner of a data directory, as `becomeOwnerOf` does.
 *
 * @throws ConfigError (78) for one of a service that an earlier version installed, without an account that stays
 */
export function becomeDataOwner(path: string): void {
  if (process.getuid?.() !== 0 || !existsSync(path)) return;
  if (!realpathSync(path).startsWith(PRIVATE)) return void becomeOwnerOf(path);
  const message = `${path} belongs to an account that exists only while its service runs, so no command can work in it`;
  const hint = `for the command that installs the service again: sudo appctl doctor env.service-unit --data-dir ${path}`;
  throw new ConfigError([{ key: 'data_dir', message, hint }]);
}

function unusable(path: string, { code = '', message }: NodeJS.ErrnoException): ConfigError {
  const [what, hint] = reasonOf(code, path) ?? [message, 'choose another directory with --data-dir'];
  return new ConfigError([{ key: 'data_dir', message: `${path} ${what}`, hint }]);
}

function reasonOf(code: string, path: string): readonly [string, string] | null {
  if (code === 'EROFS')
    return ['is on a read-only disk', 'choose a directory on another disk with --data-dir'];
  if (code === 'EACCES' || code === 'EPERM') return notAllowed(path);
  if (code === 'EEXIST' || code === 'ENOTDIR') {
    return ['is not a directory, or part of it is a file', 'choose another directory with --data-dir'];
  }
  if (code === 'ENOENT') return ['cannot be created there', 'choose a directory on a writable disk'];
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return ['cannot be created: the disk is full', 'free space on it'];
  return null;
}

function notAllowed(path: string): readonly [string, string] {
  const user = process.getuid?.();
  const present = nearestPresent(path);
  if (present === path) {
    const owner = user === undefined ? '' : `: chown -R ${user} ${path}`;
    return ['cannot be written by this user', `make it writable${owner}, or choose another with --data-dir`];
  }
  const owner = user === undefined ? '' : `: install -d -m 700 -o ${user} ${path}`;
  return [
    `cannot be created: this user cannot write to ${present}`,
    `create it as root${owner}, or choose another with --data-dir`,
  ];
}

/** The folder itself, or the closest one above it that exists. */
const nearestPresent = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestPresent(dirname(path));
