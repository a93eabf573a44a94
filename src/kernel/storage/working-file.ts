import { createHash, randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Keyring } from '../crypto.ts';
import { ensurePrivateFolder, syncFolder } from '../private-files.ts';
import { openChunks, openedSize, sealChunks } from '../sealed-file.ts';
import { asDiskFull, EXPORT_RESERVE_BYTES, requireRoom } from './room.ts';

/** What is not whole yet. */
const ENDING = '.part';
const KEY_BYTES = 32;
/** After so many bytes more the disk is asked again what is left. */
const ASK_BYTES = 4 * 1024 ** 2;
/** `{"key":"v1.…"}`: the key of the file under the master key. */
const LONGEST_HEAD = 512;

/** A file of the server for a few hours, such as an export that waits to be fetched. */
export interface WorkingFile {
  /** Bytes of what is in it. */
  readonly size: number;
  /** Reads it from its start, as often as it is asked to. */
  read(): AsyncGenerator<Uint8Array>;
}

/** What was written. */
export interface Written {
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

type Sealing = Pick<Keyring, 'seal' | 'open'>;

/**
 * Writes a file that this installation alone can read: mode 0600 in a folder of mode 0700, encrypted under a key of its
 * own, which the master key seals to its name. It gets its name when it is whole; a failure leaves nothing behind. It may
 * take the room that uploads leave: an export is how data leaves a full server.
 *
 * @param path absolute; its last part is a name of the server, never of a client
 * @throws DiskFull when less than `EXPORT_RESERVE_BYTES` are left, before the first byte or on the way; what the source
 *   throws
 */
export async function writeWorkingFile(
  { keyring }: { readonly keyring: Sealing },
  path: string,
  source: AsyncIterable<string | Uint8Array>,
): Promise<Written> {
  ensurePrivateFolder(dirname(path));
  await requireRest(path);
  const part = `${path}${ENDING}`;
  const file = await open(part, 'wx', 0o600);
  try {
    const written = await write(file, keyring, path, source);
    await file.sync();
    await file.close();
    await rename(part, path);
    syncFolder(dirname(path));
    return written;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
    throw asDiskFull(dirname(path), error);
  }
}

const requireRest = (path: string): Promise<void> =>
  requireRoom(dirname(path), EXPORT_RESERVE_BYTES, '', 'exports and imports');

async function write(
  file: FileHandle,
  keyring: Sealing,
  path: string,
  source: AsyncIterable<string | Uint8Array>,
): Promise<Written> {
  const key = randomBytes(KEY_BYTES);
  const sealed = keyring.seal('secret', key.toString('base64'), nameOf(path));
  await file.write(`${JSON.stringify({ key: sealed })}\n`);
  const sha256 = createHash('sha256');
  let size = 0;
  const measured = async function* (): AsyncGenerator<string | Uint8Array> {
    for await (const part of source) {
      size += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
      sha256.update(part);
      yield part;
    }
  };
  let unasked = 0;
  for await (const chunk of sealChunks(measured(), key)) {
    await file.writeFile(chunk);
    unasked += chunk.byteLength;
    if (unasked < ASK_BYTES) continue;
    unasked = 0;
    await requireRest(path);
  }
  return { size, sha256: sha256.digest('hex') };
}

/**
 * Opens a file that `writeWorkingFile` wrote.
 *
 * @returns null when there is none
 * @throws SealError for one of another installation or another name; reading throws SealedFileFault for a damaged one
 */
export async function openWorkingFile(
  { keyring }: { readonly keyring: Sealing },
  path: string,
): Promise<WorkingFile | null> {
  const head = await headOf(path);
  if (head === null) return null;
  const { key: sealed } = JSON.parse(head.text) as { key: string };
  const key = Buffer.from(keyring.open('secret', sealed, nameOf(path)), 'base64');
  const start = Buffer.byteLength(head.text) + 1;
  return {
    size: openedSize(head.size - start),
    read: () => openChunks(createReadStream(path, { start }), key),
  };
}

async function headOf(path: string): Promise<{ text: string; size: number } | null> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(unlessMissing);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_HEAD), 0, LONGEST_HEAD, 0);
    const [text = ''] = buffer.toString('latin1', 0, bytesRead).split('\n', 1);
    return { text, size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

/** Removes a file; one that is not there is no matter. */
export const removeWorkingFile = (path: string): Promise<void> => rm(path, { force: true });

/**
 * Removes the files of a folder that nobody has written to since a time, those that are not whole too.
 *
 * @param olderThan Unix milliseconds
 * @returns how many
 */
export async function dropWorkingFiles(folder: string, olderThan: number): Promise<number> {
  let dropped = 0;
  for (const name of (await readdir(folder).catch(unlessMissing)) ?? []) {
    const info = await stat(join(folder, name)).catch(unlessMissing);
    if (!info?.isFile() || info.mtimeMs >= olderThan) continue;
    await rm(join(folder, name), { force: true });
    dropped += 1;
  }
  return dropped;
}

const nameOf = (path: string): string => `file:${path.slice(dirname(path).length + 1)}`;

function unlessMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
