import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import type { Ctx } from '#kernel/context.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { sizeText } from '../frame/progress.ts';
import { counted } from './counted.ts';
import type { DeskRelease, ReleaseDesk } from './desk.ts';

/** More than a product will ever have. */
const EVERY_KEY = { page: 1, limit: 500 };
/** A disk that is filled to its last byte stops the server. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** The desk of the local installation: the use cases themselves. */
export function localDesk(ctx: Ctx, config: Config): ReleaseDesk {
  const seen = async (release: Promise<releases.Release>): Promise<DeskRelease> =>
    releases.releaseView(await release, ctx.now());
  return {
    async product(reference) {
      const { slug } = await products.get(ctx, reference);
      const { items } = await signingKeys.list(ctx, { ...EVERY_KEY, product: slug });
      // A registered key has a status.
      return { reference, keys: items.map(({ keyId, status }) => ({ keyId, status: status ?? 'NEXT' })) };
    },
    async registerKey({ reference }, { publicKey, minisignId = null }) {
      const owner = await products.get(ctx, reference);
      await signingKeys.register(ctx, owner, { publicKey, seed: null, label: null, minisignId });
    },
    checkRoom: (bytes) => checkRoom(ctx, config, bytes),
    async list({ product, ...asked }) {
      const { items, pagination } = await releases.list(ctx, { ...asked, productId: product });
      const now = ctx.now();
      return { items: items.map((release) => releases.releaseView(release, now)), pagination };
    },
    get: (id) => seen(releases.get(ctx, id)),
    stats: (id) => releases.stats(ctx, id),
    create: (input) => seen(releases.create(ctx, input)),
    update: (id, changes) => seen(releases.update(ctx, id, changes)),
    upload: (id, bundle, onBytes) =>
      seen(
        releases.attachBundle(ctx, id, {
          filename: bundle.filename,
          source: counted(bundle.open(), onBytes),
        }),
      ),
    sign: (id, signature) => seen(releases.attachSignature(ctx, id, signature)),
    publish: (id, how) => seen(releases.publish(ctx, id, how)),
    yank: (id, how) => seen(releases.yank(ctx, id, how)),
    unyank: (id, why) => seen(releases.unyank(ctx, id, why)),
    archive: (id) => seen(releases.archive(ctx, id)),
    promote: (id, to) => seen(releases.promote(ctx, id, to)),
    renew: (id, statement) => seen(releases.renewStatement(ctx, id, statement)),
    rollOut: (id, change) => seen(releases.rollout(ctx, id, change)),
    remove: (id) => releases.remove(ctx, id),
  };
}

/**
 * A bucket takes the bytes from this machine's disk, where they are received first.
 *
 * @throws usage error (2) above the upload limit, CliError 1 without room, StorageFailure when nothing can be written
 */
async function checkRoom(ctx: Ctx, { dataDir, storage }: Config, bytes: number): Promise<void> {
  if (bytes > ctx.uploadLimitBytes) {
    throw usageError(
      `the bundle has ${sizeText(bytes)}, and at most ${sizeText(ctx.uploadLimitBytes)} are taken`,
      'set http.upload_limit (APPCTL_UPLOAD_LIMIT) higher',
    );
  }
  await ctx.storage.probe();
  const folder = ctx.storage.kind === 'file' ? storage.bundlesDir : dataDir;
  const free = await freeBytes(folder);
  if (free >= bytes + SPARE_BYTES) return;
  throw new CliError(
    exits.unexpected,
    'NO_SPACE',
    `the disk of ${folder} has ${sizeText(free)} left, too little for a bundle of ${sizeText(bytes)}`,
    { hint: 'make room on it, or set storage.bundles_dir to a larger disk' },
  );
}

/** Of the disk that a folder lies on, or will lie on. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return freeBytes(dirname(folder));
  }
}
