import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Job } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { isStopping } from '#kernel/jobs/stopping.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { partLocationOf } from '#kernel/storage/location.ts';
import {
  NotAPicture,
  type Rendered,
  renderPicture,
  VARIANT_NAMES,
  type VariantName,
} from '../pictures/index.ts';
import { dropFiles, variantKeys } from './files.ts';
import { MISSING_ORIGINAL } from './originals.ts';
import type { Media, MediaVariants } from './record.ts';
import * as repo from './repository.ts';

/** 50 megapixels take two seconds on a small machine. A drawing was drawn in time when it was taken: a busy machine gets more. */
const RENDER_MS = 30_000;
/** Of one run: the other jobs of the process get their turn between runs. */
const MOST_OF_A_RUN = 200;

/** What the shop around the pictures says of their variants. */
export interface Rendering {
  /** 1 to 100, for pictures of which no other was asked for. */
  readonly quality: (ctx: Ctx) => number;
  /** In the transaction in which a picture has got its variants, or cannot get them. */
  readonly settled: (ctx: Ctx, mediaId: string) => Promise<unknown>;
}

/** Makes the variants of what was uploaded: a server that ends on the way begins that picture anew. */
export const variantsJob = (rendering: Rendering): Job => ({
  name: 'media-variants',
  description: 'Makes the sizes of uploaded pictures that pages show',
  everySeconds: 5,
  run: async (ctx) => {
    const tally = { ready: 0, failed: 0 };
    while (tally.ready + tally.failed < MOST_OF_A_RUN && !isStopping(ctx)) {
      const [media] = await repo.listProcessing(ctx, 1);
      if (!media) break;
      tally[await settle(ctx, media, rendering)] += 1;
    }
    return tally;
  },
});

/** A picture that cannot be rendered says why; what is no fault of it ends the run, and the next one tries again. */
async function settle(ctx: Ctx, media: Media, rendering: Rendering): Promise<'ready' | 'failed'> {
  try {
    const made = await render(ctx, media, media.quality ?? rendering.quality(ctx));
    await finish(ctx, media, { status: 'ready', failure: null, ...made }, rendering);
    return 'ready';
  } catch (error) {
    if (!(error instanceof NotAPicture)) throw error;
    await finish(ctx, media, { status: 'failed', failure: error.message }, rendering);
    return 'failed';
  }
}

/** One that was ordered anew meanwhile, deleted or got another file is left as it is. */
async function finish(
  outside: Ctx,
  { id, updatedAt, sha256 }: Media,
  outcome: Partial<Media>,
  { settled }: Rendering,
): Promise<void> {
  await outside.tx(async (ctx) => {
    const media = await repo.lock(ctx, { id });
    if (media?.status !== 'processing' || media.sha256 !== sha256) return;
    // Words about it may have changed; another quality is made in the next turn.
    const isAsked = media.updatedAt === updatedAt || outcome.status === 'failed';
    const status = isAsked ? outcome.status : media.status;
    const after = { ...media, ...outcome, ...(status && { status }), updatedAt: ctx.now() };
    await repo.update(ctx, after);
    await settled(ctx, id);
    // Those of the file that it had before were shown until now.
    const kept = variantKeys(after);
    const old = variantKeys(media).filter((key) => !kept.includes(key));
    ctx.afterCommit(() => dropFiles(outside, old));
  });
}

type Made = Pick<Media, 'variants' | 'blurData' | 'width' | 'height'>;

async function render(ctx: Ctx, media: Media, quality: number): Promise<Made> {
  const parent = join(ctx.dataDir, 'incoming');
  ensurePrivateFolder(parent);
  const folder = await mkdtemp(join(parent, 'picture-'));
  try {
    const path = join(folder, 'original');
    await fetchOriginal(ctx, media, path);
    const isDrawing = media.mime === 'image/svg+xml';
    const drawn = isDrawing ? Math.max(media.width, media.height) : null;
    const rendered = await renderPicture({ path, folder, quality, drawn }, RENDER_MS);
    const size = isDrawing ? media : rendered;
    return {
      variants: await keepAll(ctx, media, folder, rendered),
      blurData: rendered.blur,
      width: size.width,
      height: size.height,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchOriginal(ctx: Ctx, { storageKey }: Media, path: string): Promise<void> {
  const object = await ctx.media.open(storageKey);
  if (object === null) throw new NotAPicture('INCOMPLETE', MISSING_ORIGINAL);
  try {
    await pipeline(object.read(0, object.size - 1), createWriteStream(path, { mode: 0o600 }));
  } finally {
    await object.close();
  }
}

async function keepAll(
  ctx: Ctx,
  { sha256 }: Media,
  folder: string,
  { files }: Rendered,
): Promise<MediaVariants> {
  const keep = async (name: VariantName) => {
    // The picture was taken: its sizes are no upload, however little is left.
    const staged = await ctx.media.stage(createReadStream(join(folder, name)), ctx.imageLimitBytes, 0);
    try {
      const { location: key } = await staged.keep(partLocationOf(sha256, name));
      return { key, ...files[name], version: staged.sha256.slice(0, 12) };
    } finally {
      await staged.discard();
    }
  };
  const [thumbnail, medium, large] = await Promise.all(VARIANT_NAMES.map(keep));
  return { thumbnail, medium, large } as MediaVariants;
}
