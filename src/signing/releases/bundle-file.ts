import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { AppError } from '#kernel/errors.ts';
import { fail } from '../errors.ts';
import { noFile } from '../keys/key-file.ts';

const CHUNK_BYTES = 1024 * 1024;

/** A bundle that is open for reading. */
export interface BundleFile {
  /** Bytes, as the file was opened. */
  readonly size: number;
  /**
   * The bytes from the beginning, at most 1 MiB at a time, each chunk only good until the next. It ends beyond `size`: a
   * file that somebody keeps appending to would never end.
   */
  chunks(): AsyncGenerator<Uint8Array>;
  /**
   * Call it after reading: the file must be what it was when it was opened, and still be there under its name.
   *
   * @param read bytes that came
   * @throws AppError VERIFICATION_FAILED FILE_CHANGED
   */
  requireUnchanged(read: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a bundle once, so that all that is done is done with the same file (reliability M30).
 *
 * @param mayBeLink whether a symbolic link to a file will do: not for what is signed, since somebody else may turn it
 * @throws AppError VALIDATION_ERROR when it is missing or no regular file
 */
export async function openBundleFile(path: string, mayBeLink: boolean): Promise<BundleFile> {
  const file = await openRegular(path, mayBeLink);
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) throw noFile(path, before.isDirectory());
    const size = Number(before.size);
    return {
      size,
      chunks: () => read(file, size),
      requireUnchanged: async (bytes) => {
        const after = await file.stat({ bigint: true });
        const named = await stat(path, { bigint: true }).catch(() => null);
        const same = bytes === size && unchanged(before, after) && named !== null && sameFile(before, named);
        if (!same) throw changed(path);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The error of a bundle that was written while it was read. */
export const changed = (path: string): AppError =>
  fail('VERIFICATION_FAILED', `${path} changed while it was read`, {
    details: { reason: 'FILE_CHANGED', path, hint: 'run it again when the file is complete' },
  });

async function* read(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; position <= size; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function openRegular(path: string, mayBeLink: boolean): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK the open of a named pipe would wait for its writer for ever.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (mayBeLink ? 0 : constants.O_NOFOLLOW);
    return await open(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP' && !mayBeLink) throw aLink(path);
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ENXIO') throw error;
    const what = code === 'ENXIO' ? `${path} is not a regular file` : `file ${path} was not found`;
    throw fail('VALIDATION_ERROR', what, { details: { path } });
  }
}

/** The error of a bundle that is to be signed and is a symbolic link. */
const aLink = (path: string): AppError =>
  fail('VALIDATION_ERROR', `${path} is a symbolic link, not a regular file`, {
    details: { path, hint: `use the file that it points to: readlink -f ${path}` },
  });

/** The change time cannot be set back by a program, unlike the modification time. */
const unchanged = (a: BigIntStats, b: BigIntStats): boolean =>
  a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;

const sameFile = (a: BigIntStats, b: BigIntStats): boolean => a.ino === b.ino && a.dev === b.dev;
