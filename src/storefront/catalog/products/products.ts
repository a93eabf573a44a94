import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { cleanHtml } from '#platform/rich-text/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { freeSlug, slugOf } from '#storefront/contract/slug.ts';
import { isProductReserved } from '../inventory/index.ts';
import {
  type Condition,
  changed,
  lock,
  missing,
  namedBy,
  refuse,
  settle,
  storing,
  tellCreated,
  wholeFor,
} from './change.ts';
import { shopProductEvents } from './events.ts';
import { hookedChange, hookedCreate } from './hooked.ts';
import { insertOption } from './options.ts';
import { putPictures } from './pictures.ts';
import { putPlaces } from './places/places.ts';
import { requireLicenses, requirePublishable } from './publication.ts';
import { shopProductRows, wholeOf } from './queries.ts';
import { normed, type Product } from './record.ts';
import * as repo from './repository.ts';
import { ProductCreate, type ProductCreateInput, ProductUpdate, type ProductUpdateInput } from './schemas.ts';
import { insertVariants } from './variants.ts';
import type { Whole } from './whole.ts';

/** A product. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<Product> =>
  (await shopProductRows.find(ctx, id)) ?? missing(id);

/** A product with everything that is part of it. @throws AppError NOT_FOUND */
export const getWhole = async (ctx: Ctx, id: string): Promise<Whole> => wholeOf(ctx, await get(ctx, id));

/**
 * Makes a product with its options and variants. A slug is made from the title when none is sent.
 *
 * @throws AppError VALIDATION_ERROR; CONFLICT, reason DUPLICATE, for a taken slug or SKU, reason INVALID_TRANSITION for
 *   one that cannot be published and should be active
 */
export async function create(ctx: Ctx, input: ProductCreateInput): Promise<Product> {
  const parsed = checkInput(ProductCreate, await hookedCreate(ctx, input));
  const { options = [], variants = [], tags = [], mediaIds = [], slug, ...rest } = parsed;
  const { categoryIds = [], collectionIds = [], ...sent } = rest;
  return ctx.tx(async (ctx) => {
    const named = await nameFor(ctx, sent.title, slug);
    const product = await ruled({
      ...blank(ctx),
      ...sentFields(sent),
      title: sent.title,
      type: sent.type,
      slug: named,
    });
    await storing(slugText(named), () => repo.insertProduct(ctx, product), namedBy.product(product));
    await repo.replaceTags(ctx, product.id, distinct(tags));
    for (const [at, option] of options.entries()) await insertOption(ctx, product, option, at);
    const whole = await wholeFor(ctx, product);
    const made = await insertVariants(ctx, whole, variants);
    await putPictures(ctx, product.id, mediaIds);
    await putPlaces(ctx, product.id, { categoryIds, collectionIds });
    await settle(ctx, product, made[variants.findIndex(({ isDefault }) => isDefault)]?.id);
    if (product.status === 'active') requirePublishable(product, made.length);
    await tellCreated(ctx, product);
    return product;
  });
}

function blank(ctx: Ctx): Omit<Product, 'title' | 'slug' | 'type'> {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.shopProduct),
    status: 'draft',
    descriptionHtml: null,
    shortDescription: null,
    brand: null,
    isDiscountable: true,
    isTaxable: true,
    taxClassId: null,
    minQuantity: 1,
    maxQuantity: null,
    publishAt: null,
    seoTitle: null,
    seoDescription: null,
    ratingSum: 0,
    ratingCount: 0,
    salesCount: 0,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** What holds for every product, whoever stores it. @throws AppError VALIDATION_ERROR */
async function ruled(product: Product): Promise<Product> {
  const { minQuantity, maxQuantity, descriptionHtml, type } = product;
  if (maxQuantity !== null && maxQuantity < minQuantity)
    throw invalidField('max_quantity', `must be at least min_quantity, which is ${minQuantity}`);
  // Money that buys a gift card is neither taxed nor discounted: what is bought with it is.
  const isCard = type === 'gift_card';
  return {
    ...product,
    descriptionHtml: descriptionHtml === null ? null : (await cleanHtml(descriptionHtml)) || null,
    ...(isCard && { isDiscountable: false, isTaxable: false }),
  };
}

/** Tags without those that differ in case alone. */
const distinct = (tags: readonly string[]): string[] => [
  ...new Map(tags.toReversed().map((tag) => [normed(tag), tag])).values(),
];

const slugText = (slug: string): string => `slug ${slug} is taken by another product; choose another one`;

/** The slug of a new product, free as long as the transaction runs. */
async function nameFor(ctx: Ctx, title: string, slug: string | undefined): Promise<string> {
  await repo.lockSlugs(ctx);
  if (slug !== undefined) {
    await repo.dropRedirect(ctx, slug);
    return slug;
  }
  const base = slugOf(title) || 'product';
  return freeSlug(base, (start) => repo.slugsFrom(ctx, start));
}

/**
 * Changes a product; what is not sent stays, null clears. A call that changes nothing writes nothing. An old slug leads
 * to the product until another one takes it.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; CONFLICT, reason DUPLICATE, for a taken slug, reason INVALID_TRANSITION
 *   when it should be published and cannot; PRECONDITION_FAILED for another version than the caller read
 */
export async function change(
  ctx: Ctx,
  id: string,
  input: ProductUpdateInput,
  condition: Condition = {},
): Promise<Product> {
  const { tags, mediaIds, categoryIds, collectionIds, ...sent } = sentFields(
    checkInput(ProductUpdate, await hookedChange(ctx, id, input)),
  );
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id, condition);
    const wanted = await ruled({ ...before, ...sent });
    if (wanted.status === 'active') await requireShowable(ctx, wanted, before);
    const isTagged = tags !== undefined && (await retag(ctx, id, distinct(tags)));
    const isPictured = mediaIds !== undefined && (await putPictures(ctx, id, mediaIds));
    const isPlaced = await putPlaces(ctx, id, { categoryIds, collectionIds });
    const isSame = Object.keys(changesBetween(before, wanted)).length === 0;
    if (isSame && !isTagged && !isPictured && !isPlaced) return before;
    if (wanted.slug !== before.slug) await moveSlug(ctx, before, wanted.slug);
    return changed(ctx, before, wanted, undefined, 'asked');
  });
}

/** One that is shown already stays so whatever became of its licenses: its other fields can still be changed. */
async function requireShowable(ctx: Ctx, product: Product, before: Product): Promise<void> {
  const { variants } = await wholeFor(ctx, product);
  requirePublishable(product, variants.length);
  if (before.status !== 'active' || before.type !== product.type)
    await requireLicenses(ctx, product, variants);
}

/** @returns whether that changed anything */
async function retag(ctx: Ctx, id: string, tags: readonly string[]): Promise<boolean> {
  const { tags: had } = await getWhole(ctx, id);
  if (had.toSorted().join('\n') === tags.toSorted().join('\n')) return false;
  await repo.replaceTags(ctx, id, tags);
  return true;
}

async function moveSlug(ctx: Ctx, { id, slug: old }: Product, slug: string): Promise<void> {
  await repo.lockSlugs(ctx);
  await repo.dropRedirect(ctx, slug);
  await repo.redirect(ctx, old, id, ctx.now());
}

/**
 * Shows a product in the shop.
 *
 * @param input `publishAt`: from when on; null at once; absent leaves what is stored
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, without variants, and for a type that cannot be sold
 */
export const publish = (
  ctx: Ctx,
  id: string,
  input: { publishAt?: string | null | undefined } = {},
  condition: Condition = {},
): Promise<Product> => change(ctx, id, { ...sentFields(input), status: 'active' }, condition);

/** Takes a product out of the shop and keeps it. @throws AppError NOT_FOUND */
export const archive = (ctx: Ctx, id: string, condition: Condition = {}): Promise<Product> =>
  change(ctx, id, { status: 'archived' }, condition);

/**
 * Deletes a product with its options and variants; one that stands in an order is archived in place of it.
 *
 * @returns whether it was archived
 * @throws AppError NOT_FOUND; CONFLICT, reason IN_USE, while something else refers to it; PRECONDITION_FAILED
 */
export async function remove(
  ctx: Ctx,
  id: string,
  condition: Condition = {},
): Promise<{ archived: boolean }> {
  return ctx.tx(async (ctx) => {
    const product = await lock(ctx, id, condition);
    const archived = (await repo.isOrdered(ctx, id)) || (await isProductReserved(ctx, id));
    if (archived) await archive(ctx, id);
    else await removeRow(ctx, product);
    await shopProductEvents.tell(
      ctx,
      'product.deleted',
      id,
      { id, slug: product.slug, archived },
      { before: product },
    );
    return { archived };
  });
}

async function removeRow(ctx: Ctx, { id, slug }: Product): Promise<void> {
  try {
    await repo.removeProduct(ctx, id);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw refuse('IN_USE', `product ${slug} is used elsewhere; archive it instead`);
  }
}
