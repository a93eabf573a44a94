import { readFile } from 'node:fs/promises';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { createSemaphore } from '#kernel/semaphore.ts';
import { fail } from '#kernel/service/errors.ts';
import { partLocationOf } from '#kernel/storage/location.ts';
import { type StagedObject, TooLarge } from '#kernel/storage/types.ts';
import { type Found, inspectPicture, NotAPicture, renderPicture } from '../pictures/index.ts';
import { mediaEvents } from './events.ts';
import { type Media, newMediaId } from './record.ts';
import * as repo from './repository.ts';

/** A drawing can keep a processor busy for hours. */
const SVG_MS = 2000;

/** Each holds a whole picture in memory while it is judged; whoever uploads fifty waits for his turn. */
const JUDGING = memoryKey('media.judging', () => createSemaphore({ atOnce: 1, waiting: 1000 }));

/** A file on its way, and what is said of it. */
export interface SentPicture {
  readonly source: AsyncIterable<Uint8Array>;
  /** The client's word: shown, never used as a path. */
  readonly fileName: string | null;
  readonly alt?: string | null | undefined;
  readonly folder?: string | null | undefined;
  /** How long a drawing may take to draw; two seconds when absent. For those that the program makes itself. */
  readonly patienceMs?: number;
}

/**
 * Takes a picture: judges its bytes, keeps the original and leaves its variants to the job `media-variants`. The same
 * bytes a second time return the picture that is there. Not inside a transaction.
 *
 * @throws AppError VALIDATION_ERROR, with status 413 above `http.image_limit`, with `details.reason` for what is no
 *   picture or more than one; what the source throws; StorageFailure
 */
export const upload = (ctx: Ctx, sent: SentPicture): Promise<Media> =>
  judged(ctx, sent, (staged, found) => take(ctx, staged, found, sent));

/**
 * Receives and judges bytes, and hands on those that are kept; they are thrown away when `use` has not kept them.
 *
 * @throws AppError as `upload` does; what `use` throws
 */
export async function judged<T>(
  ctx: Ctx,
  sent: Pick<SentPicture, 'source' | 'patienceMs'>,
  use: (staged: StagedObject, found: Found) => Promise<T>,
): Promise<T> {
  const staged = await stage(ctx, sent.source);
  try {
    const found = await ctx.memory.of(JUDGING).run(() => judge(staged));
    if (found.clean === null) return await use(staged, found);
    const clean = await stage(ctx, bytesOf(found.clean));
    try {
      await requireRenderable(clean, found, sent.patienceMs ?? SVG_MS);
      return await use(clean, found);
    } finally {
      await clean.discard();
    }
  } catch (error) {
    if (!(error instanceof NotAPicture)) throw error;
    throw fail('VALIDATION_ERROR', error.message, { details: { reason: error.reason } });
  } finally {
    await staged.discard();
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function stage(ctx: Ctx, source: AsyncIterable<Uint8Array>): Promise<StagedObject> {
  try {
    return await ctx.media.stage(source, ctx.imageLimitBytes);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    throw new AppError(
      'VALIDATION_ERROR',
      413,
      `The picture has more than ${error.maxBytes} bytes. Upload a smaller one`,
      {
        details: { maxBytes: error.maxBytes, hint: 'raise http.image_limit (APPCTL_IMAGE_LIMIT)' },
      },
    );
  }
}

const judge = async ({ path }: StagedObject): Promise<Found> => inspectPicture(await readFile(path));

/** What a drawing costs is only known when it is drawn. */
async function requireRenderable({ path }: StagedObject, found: Found, withinMs: number): Promise<void> {
  const drawn = Math.max(found.width, found.height);
  await renderPicture({ path, folder: null, quality: 1, drawn }, withinMs);
}

async function take(ctx: Ctx, staged: StagedObject, found: Found, sent: SentPicture): Promise<Media> {
  const { sha256, size } = staged;
  // Also for a picture that is there: its original may have been lost.
  const { location } = await staged.keep(partLocationOf(sha256, 'original'));
  return ctx.tx(async (ctx) => {
    const known = await repo.lock(ctx, { sha256 });
    if (known) return again(ctx, known);
    const now = ctx.now();
    const made: Media = {
      id: ctx.newId(newMediaId),
      fileName: nameOf(sent.fileName, found),
      mime: found.mime,
      bytes: size,
      width: found.width,
      height: found.height,
      sha256,
      storageKey: location,
      alt: sent.alt || null,
      folder: sent.folder || null,
      blurData: null,
      variants: null,
      focalX: 50,
      focalY: 50,
      quality: null,
      version: 1,
      status: 'processing',
      failure: null,
      uploadedBy: ctx.actor.id,
      createdAt: now,
      updatedAt: now,
    };
    if (!(await repo.insert(ctx, made))) return (await repo.lock(ctx, { sha256 })) ?? made;
    await mediaEvents.tell(ctx, 'MEDIA_UPLOADED', made.id, { fileName: made.fileName }, { after: made });
    return made;
  });
}

/** One of which nothing could be made, as when its original was lost, is tried once more. */
async function again(ctx: Ctx, known: Media): Promise<Media> {
  if (known.status !== 'failed') return known;
  const after: Media = { ...known, status: 'processing', failure: null, updatedAt: ctx.now() };
  await repo.update(ctx, after);
  await mediaEvents.tell(
    ctx,
    'MEDIA_UPDATED',
    after.id,
    { fileName: after.fileName },
    { before: known, after },
  );
  return after;
}

const ENDINGS: Record<Found['mime'], string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
};

/** The name that a client gave to its file, without what no name has. */
export const nameOf = (name: string | null, { mime }: Found): string =>
  (name ?? '')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 255) || `picture.${ENDINGS[mime]}`;
