import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Ctx } from '#kernel/context.ts';
import type { StoredObject } from '#kernel/storage/types.ts';
import { openBundle } from '#licensing/releases/bundles/index.ts';
import { digestBundle } from '#signing/releases/bundle-digest.ts';
import type { Cli } from '../frame/context.ts';
import { bundlePath, type FeedRelease } from './feed-selection.ts';

/**
 * Writes the bundles of releases below a folder. What is there already with the right bytes is left; a file gets its
 * name when it is whole.
 *
 * @throws AppError SERVER_ERROR for a stored bundle that is not what was published
 */
export async function copyBundles(
  cli: Cli,
  ctx: Ctx,
  folder: string,
  releases: readonly FeedRelease[],
): Promise<void> {
  for (const release of releases) {
    const path = join(folder, bundlePath(release));
    if (await isThere(path, release.bundleSha256)) continue;
    await mkdir(dirname(path), { recursive: true });
    await copyBundle(cli, ctx, path, release);
  }
}

const isThere = (path: string, sha256: string): Promise<boolean> =>
  digestBundle(path).then(
    (digest) => digest.sha256.toString('hex') === sha256,
    () => false,
  );

async function copyBundle(cli: Cli, ctx: Ctx, path: string, release: FeedRelease): Promise<void> {
  const {
    id: releaseId,
    version,
    bundleFilename: filename,
    bundleSha256: sha256,
    bundleSize: size,
  } = release;
  const stored = await openBundle(ctx, { sha256, size }, { releaseId, version, filename });
  const part = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const progress = await cli.byteProgress(`write ${filename}`, size);
  try {
    await pipeline(chunksOf(stored, progress.update), createWriteStream(part, { mode: 0o644, flush: true }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    progress.stop();
    await stored.close();
  }
}

/** The storage uses its buffers again, and a stream may hold what it is given. */
async function* chunksOf(stored: StoredObject, onBytes: (done: number) => void): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of stored.read(0, stored.size - 1)) {
    yield Buffer.from(chunk);
    done += chunk.byteLength;
    onBytes(done);
  }
}
