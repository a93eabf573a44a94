import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { isReserved, levelsOf, openLevels, variantsChanged } from '../inventory/index.ts';
import { changed, lock, namedBy, refuse, settle, storing, wholeFor } from './change.ts';
import { combinationsOf, skuBy } from './combinations.ts';
import { nextOf } from './options.ts';
import { requireDraftFor } from './publication.ts';
import { variantRows } from './queries.ts';
import { normed, type Product, type Variant, variantRecord } from './record.ts';
import * as repo from './repository.ts';
import {
  Generation,
  type GenerationInput,
  MOST_VARIANTS,
  VariantCreate,
  type VariantCreateInput,
  VariantUpdate,
  type VariantUpdateInput,
} from './schemas.ts';
import {
  chosenBy,
  linksOf,
  requireDistinctSkus,
  requireNewCombination,
  skuTaken,
  skuText,
  variantFrom,
} from './variant-input.ts';
import { type Chosen, optionKeyOf, type VariantOf, type Whole } from './whole.ts';

/** A variant that is not removed. @throws AppError NOT_FOUND */
export const getVariant = async (ctx: Ctx, id: string): Promise<Variant> =>
  (await variantRows.find(ctx, id)) ?? unknown(id);

function unknown(id: string): never {
  throw fail('NOT_FOUND', `variant ${id} does not exist`);
}

/**
 * Adds a variant. The first one stands for the product until another one is made to.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for values that the product has not; CONFLICT, reason DUPLICATE, for a
 *   taken SKU or combination
 */
export async function addVariant(ctx: Ctx, productId: string, input: VariantCreateInput): Promise<Variant> {
  const checked = checkInput(VariantCreate, input);
  return ctx.tx(async (ctx) => {
    const product = await lock(ctx, productId);
    const whole = await wholeFor(ctx, product);
    const [variant] = await insertVariants(ctx, whole, [checked]);
    const after = variant as Variant;
    await settle(ctx, product, checked.isDefault ? after.id : undefined);
    await changed(ctx, product, product, part(null, after));
    return getVariant(ctx, after.id);
  });
}

/** Writes variants of a product that the caller has locked and settles afterwards. */
export async function insertVariants(
  ctx: Ctx,
  { product, options, variants }: Whole,
  inputs: readonly VariantCreateInput[],
): Promise<Variant[]> {
  requireDraftFor(product, inputs.length);
  requireRoom(variants.length + inputs.length);
  const first = nextOf(variants);
  const made: (Variant & { chosen: Chosen[] })[] = [];
  for (const [at, input] of inputs.entries()) {
    const chosen = chosenBy(options, input.optionValues ?? {});
    requireNewCombination([...variants, ...made], chosen);
    made.push({ ...variantFrom(ctx, product, chosen, input, first + at), chosen });
  }
  requireDistinctSkus(made.map(({ sku }) => sku));
  await requireFreeSkus(ctx, made);
  const rows = made.map(({ chosen: _chosen, ...variant }) => variant);
  const skus = rows.map(({ sku }) => sku).join(', ');
  await storing(skuText(skus), () => repo.insertVariants(ctx, rows), namedBy.variants(rows));
  await repo.insertLinks(
    ctx,
    made.flatMap(({ id, chosen }) => linksOf(id, chosen)),
  );
  await openLevels(
    ctx,
    product.id,
    rows.map(({ id }, at) => ({ ...inputs[at], id })),
  );
  return rows;
}

function requireRoom(count: number): void {
  if (count > MOST_VARIANTS)
    throw invalidField(
      'variants',
      `a product has at most ${MOST_VARIANTS} variants, this would make ${count}`,
    );
}

/** Names the SKU that is taken; the index decides between two at once. */
async function requireFreeSkus(ctx: Ctx, made: readonly Pick<Variant, 'sku'>[]): Promise<void> {
  const taken = await repo.takenSkus(
    ctx,
    made.map(({ sku }) => normed(sku)),
  );
  const first = made.find(({ sku }) => taken.has(normed(sku)));
  if (first) throw skuTaken(first.sku);
}

/**
 * Changes a variant; what is not sent stays. `optionValues` names a value of every option.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; CONFLICT, reason DUPLICATE, for a taken SKU or combination
 */
export async function changeVariant(ctx: Ctx, id: string, input: VariantUpdateInput): Promise<Variant> {
  const { optionValues, isDefault, ...sent } = sentFields(checkInput(VariantUpdate, input));
  return ctx.tx(async (ctx) => {
    const { product, whole, variant } = await lockVariant(ctx, id);
    const { chosen: _had, ...before } = variant;
    if (isDefault === false && before.isDefault)
      throw invalidField('is_default', 'a product needs a default variant; make another variant the default');
    const chosen = optionValues && chosenBy(whole.options, optionValues);
    const others = whole.variants.filter((one) => one.id !== id);
    if (chosen) requireNewCombination(others, chosen);
    const optionKey = chosen ? optionKeyOf(chosen) : before.optionKey;
    const after: Variant = { ...before, ...sent, optionKey, updatedAt: ctx.now() };
    await storing(skuText(after.sku), () => repo.updateVariant(ctx, after), namedBy.variants([after]));
    if (chosen) await repo.replaceLinks(ctx, id, linksOf(id, chosen));
    await settle(ctx, product, isDefault ? id : undefined);
    await changed(ctx, product, product, part(before, await getVariant(ctx, id)));
    return getVariant(ctx, id);
  });
}

/**
 * Removes a variant: one that stands in an order is hidden and stays. The last one of a product that is published stays.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, for the last one of an active product
 */
export async function removeVariant(ctx: Ctx, id: string): Promise<Variant> {
  return ctx.tx(async (ctx) => {
    const { product, whole, variant } = await lockVariant(ctx, id);
    const { chosen: _had, ...before } = variant;
    if (product.status === 'active' && whole.variants.length === 1)
      throw refuse(
        'INVALID_TRANSITION',
        `${before.sku} is the only variant of a published product; archive the product first, or add another variant`,
      );
    await repo.replaceLinks(ctx, id, []);
    if (before.isOrdered || (await isReserved(ctx, [id])))
      await repo.updateVariant(ctx, {
        ...before,
        isDefault: false,
        deletedAt: ctx.now(),
        updatedAt: ctx.now(),
      });
    else await repo.removeVariant(ctx, id);
    await variantsChanged(ctx, product.id);
    await settle(ctx, product);
    await changed(ctx, product, product, part(before, null));
    return before;
  });
}

/**
 * Makes a variant of each combination of option values that has none.
 *
 * @param input the price is that of the default variant when absent
 * @returns the new variants, in the order of the values
 * @throws AppError NOT_FOUND; VALIDATION_ERROR beyond 250 variants, without options and without a price; CONFLICT,
 *   reason DUPLICATE, for a taken SKU
 */
export async function generateVariants(
  ctx: Ctx,
  productId: string,
  input: GenerationInput,
): Promise<VariantOf[]> {
  const { skuPattern, priceCents } = checkInput(Generation, input);
  return ctx.tx(async (ctx) => {
    const product = await lock(ctx, productId);
    const whole = await wholeFor(ctx, product);
    const { options, variants } = whole;
    if (options.length === 0)
      throw invalidField('options', 'the product has no options; add them with their values first');
    const standing = variants.find(({ isDefault }) => isDefault);
    const price = priceCents ?? standing?.priceCents;
    if (price === undefined) throw invalidField('price_cents', 'is required: the product has no price yet');
    const had = new Set(variants.map(({ optionKey }) => optionKey));
    const missing = combinationsOf(options, MOST_VARIANTS).filter((one) => !had.has(optionKeyOf(one)));
    requireRoom(variants.length + missing.length);
    const stock = standing && (await stockLike(ctx, [standing.id])).get(standing.id);
    const inputs = missing.map((chosen) => ({
      ...stock,
      sku: skuBy(skuPattern, product.slug, chosen),
      priceCents: price,
      optionValues: Object.fromEntries(chosen.map(({ option, value }) => [option, value])),
    }));
    if (inputs.length === 0) return [];
    const made = new Set((await insertVariants(ctx, whole, inputs)).map(({ id }) => id));
    const settled = await settle(ctx, product);
    await changed(ctx, product);
    return settled.variants.filter(({ id }) => made.has(id));
  });
}

/** How variants are kept in stock, for others like them that have nothing in stock yet. */
export async function stockLike(
  ctx: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { trackInventory: boolean; allowBackorder: boolean }>> {
  const levels = [...(await levelsOf(ctx, ids)).values()];
  return new Map(
    levels.map(({ variantId, trackInventory, allowBackorder }) => [
      variantId,
      { trackInventory, allowBackorder },
    ]),
  );
}

/** Notes of variants that they stand in an order: from then on nothing deletes them. For whoever writes the order. */
export const markOrdered = (ctx: Ctx, variantIds: readonly string[]): Promise<void> =>
  repo.markOrdered(ctx, variantIds);

/**
 * Changes what a variant costs beside its own price. What the shop keeps of its product is read anew.
 *
 * @param run holds the lock of the product; says whether it changed anything
 * @throws AppError NOT_FOUND
 */
export const repricing = (ctx: Ctx, id: string, run: (ctx: Ctx) => Promise<boolean>): Promise<void> =>
  ctx.tx(async (ctx) => {
    const { product } = await lockVariant(ctx, id);
    if (await run(ctx)) await changed(ctx, product);
  });

const part = (before: Variant | null, after: Variant | null) => ({
  target: 'shop-variants',
  record: variantRecord,
  before,
  after,
});

async function lockVariant(
  ctx: Ctx,
  id: string,
): Promise<{ product: Product; whole: Whole; variant: VariantOf }> {
  const { productId } = await getVariant(ctx, id);
  const product = await lock(ctx, productId);
  const whole = await wholeFor(ctx, product);
  return { product, whole, variant: whole.variants.find((one) => one.id === id) ?? unknown(id) };
}
