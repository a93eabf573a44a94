import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { referring } from '#kernel/service/referring.ts';
import { mediaRows } from '#platform/media/index.ts';
import { changed, lock, wholeFor } from './change.ts';
import type { Product, ProductMedia } from './record.ts';
import * as repo from './repository.ts';
import { Arrangement, type ArrangementInput, Attachment, type AttachmentInput } from './schemas.ts';
import type { PictureOf, Whole } from './whole.ts';

/**
 * Shows pictures of the library after those that a product has; one that it has already gets the variant that is named.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown picture or variant
 */
export async function attachPictures(
  ctx: Ctx,
  productId: string,
  input: AttachmentInput,
): Promise<readonly PictureOf[]> {
  const { mediaIds, variantId } = checkInput(Attachment, input);
  return ctx.tx(async (ctx) => {
    const product = await lock(ctx, productId);
    requireVariant(await wholeFor(ctx, product), variantId, 'variant_id');
    const had = await repo.picturesOf(ctx, productId);
    const named = new Set(mediaIds);
    const kept = had.map((one) =>
      named.has(one.mediaId) && variantId !== undefined ? { ...one, variantId } : one,
    );
    const known = new Set(had.map(({ mediaId }) => mediaId));
    const added = [...named].filter((id) => !known.has(id));
    await requirePictures(ctx, added, mediaIds);
    const links = added.map((id) => linkOf(productId, id, variantId ?? null));
    return store(ctx, product, [...kept, ...links]);
  });
}

/**
 * Changes order, words and variants of the pictures that a product shows; those that are not named follow the others.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for a picture that it does not show, and for an unknown variant
 */
export async function arrangePictures(
  ctx: Ctx,
  productId: string,
  input: ArrangementInput,
): Promise<readonly PictureOf[]> {
  const { items } = checkInput(Arrangement, input);
  return ctx.tx(async (ctx) => {
    const product = await lock(ctx, productId);
    const whole = await wholeFor(ctx, product);
    const links = new Map((await repo.picturesOf(ctx, productId)).map((one) => [one.mediaId, one]));
    for (const [at, { mediaId, position, alt, variantId }] of items.entries()) {
      const link = links.get(mediaId);
      if (!link)
        throw invalidField(`items.${at}.media_id`, `picture ${mediaId} is not shown; attach it first`);
      requireVariant(whole, variantId, `items.${at}.variant_id`);
      links.set(mediaId, {
        ...link,
        ...(position !== undefined && { position }),
        ...(alt !== undefined && { alt: alt || null }),
        ...(variantId !== undefined && { variantId }),
      });
    }
    return store(
      ctx,
      product,
      [...links.values()].toSorted((one, other) => one.position - other.position),
    );
  });
}

/**
 * Takes a picture away from a product; it stays in the library.
 *
 * @throws AppError NOT_FOUND, also for a picture that the product does not show
 */
export async function detachPicture(ctx: Ctx, productId: string, mediaId: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const product = await lock(ctx, productId);
    const had = await repo.picturesOf(ctx, productId);
    const left = had.filter((one) => one.mediaId !== mediaId);
    if (left.length === had.length)
      throw fail('NOT_FOUND', `product ${product.slug} does not show picture ${mediaId}`);
    await store(ctx, product, left);
  });
}

/**
 * Shows these pictures and no others, for a change that holds the lock of the product. Words and variants stay.
 *
 * @returns whether that changed anything
 * @throws AppError VALIDATION_ERROR for an unknown picture
 */
export async function putPictures(
  ctx: Ctx,
  productId: string,
  mediaIds: readonly string[],
): Promise<boolean> {
  const had = await repo.picturesOf(ctx, productId);
  const wanted = [...new Set(mediaIds)];
  if (had.map(({ mediaId }) => mediaId).join() === wanted.join()) return false;
  const known = new Map(had.map((one) => [one.mediaId, one]));
  await requirePictures(
    ctx,
    wanted.filter((id) => !known.has(id)),
    mediaIds,
  );
  const links = wanted.map((id) => known.get(id) ?? linkOf(productId, id, null));
  await replace(ctx, productId, links);
  return true;
}

const linkOf = (productId: string, mediaId: string, variantId: string | null): ProductMedia => ({
  productId,
  mediaId,
  variantId,
  alt: null,
  position: 0,
});

function requireVariant({ variants }: Whole, variantId: string | null | undefined, path: string): void {
  if (variantId === undefined || variantId === null) return;
  if (!variants.some(({ id }) => id === variantId))
    throw invalidField(path, `the product has no variant ${variantId}`);
}

/** @param sent in which the place of an unknown one is named */
async function requirePictures(
  ctx: Ctx,
  mediaIds: readonly string[],
  sent: readonly string[],
): Promise<void> {
  const known = new Set((await mediaRows.of(ctx, mediaIds)).map(({ id }) => id));
  const unknown = mediaIds.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw invalidField(
      `media_ids.${sent.indexOf(unknown)}`,
      `picture ${unknown} does not exist; upload it first`,
    );
}

const replace = (ctx: Ctx, productId: string, links: readonly ProductMedia[]): Promise<void> =>
  referring('media_ids', 'one of the pictures was deleted in the meantime; leave it out', () =>
    repo.replacePictures(
      ctx,
      productId,
      links.map((one, position) => ({ ...one, position })),
    ),
  );

async function store(
  ctx: Ctx,
  product: Product,
  links: readonly ProductMedia[],
): Promise<readonly PictureOf[]> {
  await replace(ctx, product.id, links);
  const { pictures } = await wholeFor(ctx, await changed(ctx, product));
  return pictures;
}
