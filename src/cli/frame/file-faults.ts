import { dirname } from 'node:path';
import { shellWord } from '../printed-text.ts';
import { CliError, usageError } from './errors.ts';

const UNEXPECTED = 1;
const DENIED = 4;

/** What the system says of a file that cannot be written, as a failure that names the file and the cure. */
const faults: Readonly<Record<string, (path: string) => CliError>> = {
  ENOENT: (path) => noFolder(path),
  ENOTDIR: (path) => noFolder(path),
  EISDIR: (path) => isFolder(path),
  ENAMETOOLONG: (path) => usageError(`the name ${path} is too long`, 'choose a shorter name'),
  EACCES: (path) => denied(path, 'permission denied'),
  EPERM: (path) => denied(path, 'permission denied'),
  EROFS: (path) => denied(path, 'the file system is read-only'),
  ENOSPC: (path) => full(path, 'no space is left on the disk'),
  EDQUOT: (path) => full(path, 'the disk quota is used up'),
  EFBIG: (path) => full(path, 'the file would be larger than this process may write'),
};

/**
 * Turns the error of opening or writing a file into what the command line reports.
 *
 * @param path the file that was asked for; a temporary one beside it would tell nobody anything
 * @returns CliError: 2 for a path that cannot be a file, 4 for one that is not open to this user, 1 for a full disk;
 *   any other error as it came
 */
export function fileFault(error: unknown, path: string): unknown {
  const code = String((error as NodeJS.ErrnoException | null)?.code ?? '');
  return faults[code]?.(path) ?? error;
}

const noFolder = (path: string) =>
  usageError(`the folder of ${path} does not exist`, `mkdir -p ${shellWord(dirname(path))}`);

/** Also for a path that was looked at before it was opened. */
export const isFolder = (path: string): CliError =>
  usageError(`${path} is a directory`, 'choose a file inside it');

const denied = (path: string, why: string) =>
  new CliError(DENIED, 'UNAUTHORIZED', `cannot write ${path}: ${why}`, {
    hint: 'choose a folder that this user can write to',
    details: { path },
  });

const full = (path: string, why: string) =>
  new CliError(UNEXPECTED, 'NO_SPACE', `cannot write ${path}: ${why}`, {
    hint: 'free up space, or choose a file on another disk',
    details: { path },
  });
