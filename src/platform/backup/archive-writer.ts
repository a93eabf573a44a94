import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { constants, createZstdCompress } from 'node:zlib';
import type { Pack } from 'tar-stream';
import { steadily } from '#kernel/steady-file.ts';
import { MEMBERS } from './names.ts';
import { trailerOf } from './trailer.ts';

/** A member of an archive. */
export interface ArchivePart {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** Size and digest of each member, by its name. */
export type Files = Record<string, { size: number; sha256: string }>;

/** A file that was written. */
export interface WrittenArchive {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** A text as a member. */
export function textPart(name: string, text: string | Uint8Array): ArchivePart {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, open: () => Readable.from([bytes]) };
}

/**
 * Writes members as a tar file under zstd, as they come: `zstd -d | tar x` opens it. At its end stands the digest of all
 * before, in a frame that zstd skips.
 *
 * @param path of a new file, mode 0600
 * @param parts in their order
 * @param lastOf makes the last member, which names all others: as a member, or the text of `manifest.json`
 * @param onBytes told how many bytes of members were read
 */
export async function writeArchive(
  path: string,
  parts: AsyncIterable<ArchivePart>,
  lastOf: (files: Files) => string | ArchivePart,
  onBytes: (bytes: number) => void,
): Promise<WrittenArchive> {
  const { pack } = await import('tar-stream');
  const tar = pack();
  const file = await open(path, 'wx', 0o600);
  try {
    const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };
    const compressed = Readable.from(tar).pipe(createZstdCompress({ params }));
    const filling = fill(tar, parts, lastOf, onBytes).catch((error: unknown) => {
      compressed.destroy(error as Error);
      throw error;
    });
    const [written] = await Promise.all([writeWithTrailer(file, compressed), filling]);
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

async function fill(
  tar: Pack,
  parts: AsyncIterable<ArchivePart>,
  lastOf: (files: Files) => string | ArchivePart,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const files: Files = {};
  let done = 0;
  const told = (bytes: number): void => {
    done += bytes;
    onBytes(done);
  };
  try {
    for await (const part of parts) files[part.name] = await add(tar, part, told);
    const last = lastOf(files);
    await add(tar, typeof last === 'string' ? textPart(MEMBERS.manifest, last) : last, told);
    tar.finalize();
  } catch (error) {
    tar.destroy(error as Error);
    throw error;
  }
}

/** @throws Error when a part has another size than it said: the file was changed meanwhile */
async function add(tar: Pack, { name, size, open }: ArchivePart, told: (bytes: number) => void) {
  const sha256 = createHash('sha256');
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const entry = tar.entry({ name, size, mode: 0o600, mtime: new Date(0) }, (error) =>
    error ? reject(error) : resolve(),
  );
  // It may fail while a part is being read, before anybody waits for it.
  ended.catch(() => undefined);
  let written = 0;
  for await (const chunk of open()) {
    sha256.update(chunk);
    written += chunk.byteLength;
    if (written > size) break;
    // A chunk is good until the next one is asked for: its buffer is used again.
    if (!entry.write(Buffer.from(chunk))) await drained(entry, ended);
    told(chunk.byteLength);
  }
  if (written !== size)
    throw new Error(`${name} has ${written} bytes instead of ${size}: it changed while it was read`);
  (entry as unknown as NodeJS.WritableStream).end();
  await ended;
  return { size, sha256: sha256.digest('hex') };
}

const drained = (entry: ReturnType<Pack['entry']>, ended: Promise<void>): Promise<void> =>
  Promise.race([new Promise<void>((resolve) => entry.once('drain', resolve)), ended]);

async function writeWithTrailer(file: FileHandle, source: Readable): Promise<WrittenArchive> {
  const sum = createHash('sha256');
  let size = 0;
  const steady = steadily(file);
  const write = async (chunk: Uint8Array): Promise<void> => {
    size += chunk.byteLength;
    await steady.write(chunk);
  };
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    sum.update(chunk);
    await write(chunk);
  }
  const trailer = trailerOf(sum.copy().digest());
  await write(trailer);
  return { size, sha256: sum.update(trailer).digest('hex') };
}
