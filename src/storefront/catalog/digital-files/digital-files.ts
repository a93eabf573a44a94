import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { referring } from '#kernel/service/referring.ts';
import { type StagedObject, type StoredObject, TooLarge } from '#kernel/storage/types.ts';
import { releaseFile } from '#storefront/contract/extensions.ts';
import { ids } from '#storefront/contract/ids.ts';
import { getVariant } from '../products/index.ts';
import { digitalFileEvents } from './events.ts';
import type { DigitalFile } from './record.ts';
import * as repo from './repository.ts';
import { FileTerms, type FileTermsInput, MOST_FILES, ReleaseFile, type ReleaseFileInput } from './schemas.ts';

/** The files of a variant, in their order. @throws AppError NOT_FOUND */
export async function listFiles(ctx: Ctx, variantId: string): Promise<DigitalFile[]> {
  await getVariant(ctx, variantId);
  return repo.filesOf(ctx, variantId);
}

/** A file on its way. */
interface SentFile {
  readonly source: AsyncIterable<Uint8Array>;
  /** The client's word: shown, never used as a path. */
  readonly fileName: string | null;
}

/**
 * Takes a file for the buyers of a variant; its bytes are kept beside the pictures under their digest. Not inside a
 * transaction.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, with status 413 above `http.upload_limit`; what the source throws;
 *   StorageFailure
 */
export async function uploadFile(
  ctx: Ctx,
  variantId: string,
  { source, fileName }: SentFile,
  input: FileTermsInput,
): Promise<DigitalFile> {
  const terms = checkInput(FileTerms, input);
  await getVariant(ctx, variantId);
  const staged = await stage(ctx, source);
  try {
    if (staged.size === 0) throw invalidField('file', 'is empty');
    const { location } = await staged.keep();
    return await add(ctx, variantId, {
      kind: 'upload',
      name: terms.name ?? nameOf(fileName),
      storageKey: location,
      bytes: staged.size,
      sha256: staged.sha256,
      mime: 'application/octet-stream',
      releaseChannel: null,
      maxDownloads: terms.maxDownloads ?? null,
      expiresDays: terms.expiresDays ?? null,
    });
  } finally {
    await staged.discard();
  }
}

async function stage(ctx: Ctx, source: AsyncIterable<Uint8Array>): Promise<StagedObject> {
  try {
    return await ctx.media.stage(source, ctx.uploadLimitBytes);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    throw new AppError('VALIDATION_ERROR', 413, `The file has more than ${error.maxBytes} bytes`, {
      details: { maxBytes: error.maxBytes, hint: 'raise http.upload_limit (APPCTL_UPLOAD_LIMIT)' },
    });
  }
}

const nameOf = (name: string | null): string =>
  (name ?? '')
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 255) || 'file';

/** The channels that a file may name: none where nothing is released here. */
export const channelsOf = async (ctx: Ctx): Promise<string[]> =>
  (await ctx.filled(releaseFile)).flatMap(({ channels }) => channels);

/** Names the newest release of a channel as a file of a variant. @throws AppError NOT_FOUND; VALIDATION_ERROR */
export async function addRelease(ctx: Ctx, variantId: string, input: ReleaseFileInput): Promise<DigitalFile> {
  const { releaseChannel, name, maxDownloads, expiresDays } = checkInput(ReleaseFile, input);
  const known = await channelsOf(ctx);
  if (!known.includes(releaseChannel)) throw invalidField('release_channel', unknownChannel(known));
  return add(ctx, variantId, {
    kind: 'license_release',
    name: name ?? releaseChannel,
    storageKey: null,
    bytes: 0,
    sha256: null,
    mime: null,
    releaseChannel,
    maxDownloads: maxDownloads ?? null,
    expiresDays: expiresDays ?? null,
  });
}

/** What to name in place of a channel that does not exist. */
export const unknownChannel = (known: readonly string[]): string =>
  known.length === 0
    ? 'cannot be used: licenses are turned off in this shop'
    : `must be one of ${known.join(', ')}`;

type Fields = Omit<DigitalFile, 'id' | 'variantId' | 'position' | 'createdAt' | 'updatedAt'>;

const toldOf = ({ variantId, name, kind }: DigitalFile) => ({ variantId, name, kind });

const add = (ctx: Ctx, variantId: string, fields: Fields): Promise<DigitalFile> =>
  ctx.tx(async (ctx) => {
    await getVariant(ctx, variantId);
    const had = await repo.filesOf(ctx, variantId);
    if (had.length >= MOST_FILES) throw invalidField('file', `a variant has at most ${MOST_FILES} files`);
    const now = ctx.now();
    const position = (had.at(-1)?.position ?? -1) + 1;
    const id = ctx.newId(ids.digitalFile);
    const file: DigitalFile = { ...fields, id, variantId, position, createdAt: now, updatedAt: now };
    await referring('variant_id', 'the variant was deleted in the meantime', () =>
      repo.insertFile(ctx, file),
    );
    await digitalFileEvents.tell(ctx, 'digital_file.added', id, toldOf(file), { after: file });
    return file;
  });

/** Takes a file away; its bytes go later, when nothing else has them. @throws AppError NOT_FOUND */
export async function removeFile(ctx: Ctx, variantId: string, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockFile(ctx, variantId, id)) ?? missing(id);
    await repo.deleteFile(ctx, id);
    await digitalFileEvents.tell(ctx, 'digital_file.removed', id, toldOf(before), { before });
  });
}

function missing(id: string): never {
  throw fail('NOT_FOUND', `file ${id} does not exist`);
}

/** An uploaded file with its bytes, for staff; whoever takes it closes it. @throws AppError NOT_FOUND */
export async function openFile(
  ctx: Ctx,
  variantId: string,
  id: string,
): Promise<{ file: DigitalFile; object: StoredObject }> {
  const file = (await listFiles(ctx, variantId)).find((one) => one.id === id) ?? missing(id);
  const object = file.storageKey === null ? null : await ctx.media.open(file.storageKey);
  return object ? { file, object } : missing(id);
}

/**
 * Deletes bytes that no file has and that nobody has sent for a day: what was removed, and uploads that ended halfway.
 * Only digital files are kept under their digest alone; pictures have a folder each.
 */
export async function sweepFiles(ctx: Ctx): Promise<Record<string, number>> {
  const dayAgo = Date.parse(addSeconds(ctx.now(), -SECONDS_PER_DAY));
  let removed = 0;
  for await (const location of ctx.media.list(dayAgo)) {
    if (await repo.isUsed(ctx, location.slice(location.indexOf('/') + 1))) continue;
    await ctx.media.remove(location);
    removed += 1;
  }
  return { removed, abandoned: await ctx.media.dropAbandoned(dayAgo) };
}
