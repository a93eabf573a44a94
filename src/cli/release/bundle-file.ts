import { createReadStream } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { usageError } from '../frame/errors.ts';
import type { BundleSource } from './twin.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Makes sure that a bundle can be read, before anything else is done for it.
 *
 * @param isSigned whether it is going to be signed here: a symbolic link is refused then
 * @returns its size in bytes
 * @throws usage error (2) when it is missing, empty or no regular file; the system's error when it may not be read
 */
export async function readableBundle(path: string, isSigned: boolean): Promise<number> {
  const found = await (isSigned ? lstat : stat)(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw usageError(`file ${path} was not found`);
    throw error;
  });
  if (found.isSymbolicLink())
    throw usageError(
      `${path} is a symbolic link, not a regular file`,
      `use the file that it points to: readlink -f ${path}`,
    );
  if (found.isDirectory())
    throw usageError(`${path} is a directory, not a regular file`, 'name a file inside it');
  if (!found.isFile()) throw usageError(`${path} is not a regular file`);
  if (found.size === 0) throw usageError(`${path} is empty`);
  await (await open(path)).close();
  return found.size;
}

/** A file that the desk shall receive; `digest` is what was signed. */
export const bundleSource = (path: string, digest: { size: number; sha256: string }): BundleSource => ({
  filename: basename(path),
  ...digest,
  open: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
});
