import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { fail } from '../errors.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Size in bytes and the 32 raw bytes of the SHA-256. */
export interface BundleDigest {
  readonly size: number;
  readonly sha256: Buffer;
}

/**
 * Hashes a bundle through one buffer of 1 MiB, whatever its size. The file is opened once; it must be regular, and
 * it must be the same unchanged file at the end (reliability M30).
 *
 * @throws AppError VALIDATION_ERROR when it is missing or no regular file, CONFLICT when it changed meanwhile
 */
export async function digestBundle(path: string): Promise<BundleDigest> {
  const file = await openBundle(path);
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile())
      throw fail('VALIDATION_ERROR', `${path} is not a regular file`, { details: { path } });
    const { size, sha256 } = await digestOf(file, Number(before.size));
    const after = await file.stat({ bigint: true });
    const named = await stat(path, { bigint: true }).catch(() => null);
    if (
      BigInt(size) !== before.size ||
      !unchanged(before, after) ||
      named === null ||
      !sameFile(before, named)
    ) {
      throw fail('CONFLICT', `${path} changed while it was read`, {
        details: { reason: 'FILE_CHANGED', path },
      });
    }
    return { size, sha256 };
  } finally {
    await file.close();
  }
}

async function openBundle(path: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK the open of a named pipe would wait for its writer for ever.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENXIO') throw error;
    const what = code === 'ENOENT' ? `there is no file ${path}` : `${path} is not a regular file`;
    throw fail('VALIDATION_ERROR', what, { details: { path } });
  }
}

/** Stops beyond `expectedSize`: a file that somebody keeps appending to would never end. */
async function digestOf(file: FileHandle, expectedSize: number): Promise<BundleDigest> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0 || size > expectedSize) return { size, sha256: hash.digest() };
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
}

/** The change time cannot be set back by a program, unlike the modification time. */
const unchanged = (a: BigIntStats, b: BigIntStats): boolean =>
  a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;

const sameFile = (a: BigIntStats, b: BigIntStats): boolean => a.ino === b.ino && a.dev === b.dev;
