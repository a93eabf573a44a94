import { createHash, type Hash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { at, type Desk, type FileSent } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { usageError, verificationError } from '../frame/errors.ts';

const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/gif': '.gif',
  'image/svg+xml': '.svg',
};

/** A folder of pictures, each called by the digest of its bytes. */
export interface PictureFolder {
  /** The file of a digest; undefined when there is none. */
  find(sha256: string): string | undefined;
  readonly path: string;
}

/**
 * The folder of `--media`; undefined without it.
 *
 * @param make it is made when it is not there
 * @throws usage error (2) when there is no such folder
 */
export function folderAsked(cli: Cli, make: boolean): PictureFolder | undefined {
  const named = cli.option('media');
  if (named === undefined) return undefined;
  const path = resolve(named);
  if (make) mkdirSync(path, { recursive: true });
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(
      `--media: the folder ${named} does not exist`,
      'choose the folder that the export wrote',
    );
  const known = new Map(readdirSync(path).map((name) => [name.slice(0, -extname(name).length), name]));
  return {
    path,
    find: (sha256) => {
      const name = known.get(sha256);
      return name === undefined ? undefined : join(path, name);
    },
  };
}

const DIGEST = /^[0-9a-f]{64}$/;

/** A file is called by its digest: what a server calls so must not lead out of the folder. */
function requireDigest(sha256: unknown): void {
  if (typeof sha256 !== 'string' || !DIGEST.test(sha256))
    throw verificationError(
      `the server names a picture by ${JSON.stringify(sha256)}, which is not a SHA-256 digest`,
      'check that --server is the address of your own shop',
    );
}

/**
 * Writes the pictures of some digests that the folder does not have.
 *
 * @returns how many were written
 * @throws CliError VERIFICATION_FAILED (6) for what is no digest, and for bytes that have another one
 */
export async function fetchPictures(
  cli: Cli,
  desk: Desk,
  folder: PictureFolder,
  digests: ReadonlySet<string>,
): Promise<number> {
  for (const sha256 of digests) requireDigest(sha256);
  const missing = [...digests].filter((sha256) => folder.find(sha256) === undefined);
  const progress = await cli.progress('pictures', missing.length);
  try {
    for (const [done, sha256] of missing.entries()) {
      await desk.download(at`media/${sha256}/original`, undefined, async ({ type, chunks }) => {
        const path = join(folder.path, `${sha256}${ENDINGS[type] ?? '.bin'}`);
        await writeWhole(path, chunks, sha256);
      });
      progress.update(done + 1);
    }
  } finally {
    progress.stop();
  }
  return missing.length;
}

/** A file that gets its name when it is whole, and what it says that it is. */
async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>, sha256: string): Promise<void> {
  const part = `${path}.part`;
  const hash = createHash('sha256');
  try {
    await pipeline(copied(chunks, hash), createWriteStream(part, { mode: 0o600 }));
    if (hash.digest('hex') !== sha256)
      throw verificationError(`the server sent different bytes for the picture ${sha256}`, 'try again');
    renameSync(part, path);
  } finally {
    if (existsSync(part)) rmSync(part);
  }
}

/** Chunks share their memory: each is good until the next one is asked for. */
async function* copied(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield Buffer.from(chunk);
  }
}

/** Puts a picture into the library of the shop. @param name as the export called it */
export async function sendPicture(desk: Desk, path: string, name: string | undefined): Promise<void> {
  const file: FileSent = {
    filename: name ?? path.split('/').at(-1) ?? path,
    size: statSync(path).size,
    open: () => createReadStream(path),
  };
  const query = name === undefined ? {} : { file_name: name };
  await desk.upload('media', file, undefined, { method: 'post', query });
}
