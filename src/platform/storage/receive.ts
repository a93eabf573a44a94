import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { TooLarge } from '#kernel/storage/types.ts';

const ENDING = '.part';

/** Bytes that lie on the disk of this machine, synced, under a name that nobody else knows. */
export interface Received {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Base64. */
  readonly sha512: string;
}

/**
 * Writes bytes to a new file of mode 0600 as they come, hashes them on the way, and syncs it.
 *
 * @param folder is made when it is not there
 * @param maxBytes beyond it the file is thrown away
 * @throws TooLarge; what the source or the disk throws, and then nothing is left behind
 */
export async function receive(
  folder: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Received> {
  ensurePrivateFolder(folder);
  const path = join(folder, `${randomBytes(12).toString('hex')}${ENDING}`);
  const file = await open(path, 'wx', 0o600);
  try {
    const digests = await write(file, source, maxBytes);
    await file.sync();
    await file.close();
    return { path, ...digests };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

async function write(file: FileHandle, source: AsyncIterable<Uint8Array>, maxBytes: number) {
  const sha256 = createHash('sha256');
  const sha512 = createHash('sha512');
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new TooLarge(maxBytes);
    sha256.update(chunk);
    sha512.update(chunk);
    await writeWhole(file, chunk);
  }
  return { size, sha256: sha256.digest('hex'), sha512: sha512.digest('base64') };
}

/** The system may take less than it is given. */
async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.byteLength; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.byteLength - done, null);
    done += bytesWritten;
  }
}

/**
 * Removes files of `receive` that were not written to since `olderThan` (Unix milliseconds).
 *
 * @returns how many
 */
export async function dropOld(folder: string, olderThan: number): Promise<number> {
  let dropped = 0;
  for (const name of await namesIn(folder)) {
    if (!name.endsWith(ENDING)) continue;
    const path = join(folder, name);
    const info = await stat(path).catch(() => null);
    if (info === null || info.mtimeMs >= olderThan) continue;
    await rm(path, { force: true });
    dropped += 1;
  }
  return dropped;
}

/** Bytes that are there already, as a source. */
export async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Names in a folder; none when there is no folder yet. Throws for what is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
