import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { sentFields } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { isReserved, variantsChanged } from '../inventory/index.ts';
import { changed, lock, namedBy, refuse, settle, storing, wholeFor } from './change.ts';
import { optionRows, optionValueRows } from './queries.ts';
import { normed, type Product } from './record.ts';
import * as repo from './repository.ts';
import { MOST_VARIANTS, type VariantCreateInput } from './schemas.ts';
import { chosenBy, linksOf, requireDistinctSkus, requireNewCombination, skuText } from './variant-input.ts';
import { insertVariants } from './variants.ts';
import { type OptionOf, optionKeyOf, type ValueOf, type VariantOf, type Whole } from './whole.ts';

interface ValueWanted {
  readonly value: string;
  readonly swatchHex?: string | null | undefined;
  /** A picture of the library that shows it; absent leaves the one that it has. */
  readonly mediaId?: string | null | undefined;
}

/** An option as it shall be, with all of its values. */
export interface OptionWanted {
  readonly name: string;
  readonly values: readonly ValueWanted[];
}

/** The options and variants that a product shall have, in their order, and no others. */
export interface VariantsWanted {
  readonly options: readonly OptionWanted[];
  readonly variants: readonly VariantCreateInput[];
}

/**
 * Gives a product these options and variants in place of those that it has. What has the same name, value or SKU stays
 * what it is: a variant keeps what is not sent. A call that changes nothing writes nothing.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; CONFLICT, reason DUPLICATE, for a taken SKU, reason INVALID_TRANSITION
 *   when a published product would have no variant
 */
export async function replaceVariants(ctx: Ctx, id: string, wanted: VariantsWanted): Promise<void> {
  requireDistinctSkus(wanted.variants.map(({ sku }) => sku));
  if (wanted.variants.length > MOST_VARIANTS)
    throw invalidField('variants', `a product has at most ${MOST_VARIANTS} variants`);
  await ctx.tx(async (ctx) => {
    const product = await lock(ctx, id);
    const whole = await wholeFor(ctx, product);
    if (isAsWanted(whole, wanted)) return;
    if (product.status === 'active' && wanted.variants.length === 0)
      throw refuse('INVALID_TRANSITION', 'a published product needs a variant; archive it first');
    await park(ctx, whole.variants);
    const options = await putOptions(ctx, product, whole.options, wanted.options);
    await putVariants(ctx, { ...whole, options }, wanted.variants);
    const standing = wanted.variants.find(({ isDefault }) => isDefault);
    const made = await wholeFor(ctx, product);
    const preferred = made.variants.find(({ sku }) => standing && normed(sku) === normed(standing.sku));
    await settle(ctx, product, preferred?.id);
    await changed(ctx, product);
  });
}

/** What is sent of a variant, in place of what it had; its place is that in the list. */
function merged(variant: VariantOf, input: VariantCreateInput, place: number): VariantOf {
  const { sku, barcode, priceCents, compareAtCents, costCents, position = place } = input;
  const { weightG, lengthMm, widthMm, heightMm, requiresShipping, shippingClassId } = input;
  const money = { priceCents, compareAtCents, costCents };
  const measures = { weightG, lengthMm, widthMm, heightMm, requiresShipping, shippingClassId };
  return { ...variant, ...sentFields({ sku, barcode, ...money, ...measures }), position };
}

const optionsShown = (options: readonly OptionWanted[]): string =>
  JSON.stringify(
    options.map(({ name, values }) => [
      name,
      values.map(({ value, swatchHex = null }) => [value, swatchHex]),
    ]),
  );

const isPicture = (had: ValueOf | undefined, { mediaId }: ValueWanted): boolean =>
  mediaId === undefined || mediaId === (had?.media?.id ?? null);

function isAsWanted({ options, variants }: Whole, wanted: VariantsWanted): boolean {
  if (optionsShown(options) !== optionsShown(wanted.options)) return false;
  const hasPictures = options.every(({ values }, at) =>
    wanted.options[at]?.values.every((value, place) => isPicture(values[place], value)),
  );
  if (!hasPictures) return false;
  if (variants.length !== wanted.variants.length) return false;
  return variants.every((variant, place) => {
    const input = wanted.variants[place];
    if (input === undefined || normed(input.sku) !== normed(variant.sku)) return false;
    const { optionValues = {}, isDefault = variant.isDefault } = input;
    const named = variant.chosen.map(({ option, value }) => optionValues[option] === value);
    return (
      named.every(Boolean) &&
      named.length === Object.keys(optionValues).length &&
      isDefault === variant.isDefault &&
      JSON.stringify(merged(variant, input, variant.position)) === JSON.stringify(variant)
    );
  });
}

/** Variants have no values while options change, and no two of them are the same for it. */
async function park(ctx: Ctx, variants: readonly VariantOf[]): Promise<void> {
  for (const variant of variants) {
    await repo.replaceLinks(ctx, variant.id, []);
    await repo.updateVariant(ctx, { ...variant, optionKey: variant.id });
  }
}

async function putOptions(
  ctx: Ctx,
  product: Product,
  had: readonly OptionOf[],
  wanted: readonly OptionWanted[],
): Promise<OptionOf[]> {
  const now = ctx.now();
  for (const gone of had.filter(({ name }) => !wanted.some((one) => one.name === name)))
    await repo.removeOption(ctx, gone.id);
  const stored = await optionRows.of(
    ctx,
    had.map(({ id }) => id),
  );
  const made: OptionOf[] = [];
  for (const [position, { name, values }] of wanted.entries()) {
    const before = had.find((one) => one.name === name);
    const id = before?.id ?? ctx.newId(ids.option);
    const { createdAt = now } = stored.find((one) => one.id === id) ?? {};
    const option = { id, productId: product.id, name, position, createdAt, updatedAt: now };
    const taken = `the option ${name} appears twice; list each once`;
    if (before === undefined) await storing(taken, () => repo.insertOption(ctx, option));
    else if (before.position !== position) await repo.updateOption(ctx, option);
    made.push({ id, name, position, values: await putValues(ctx, id, before?.values ?? [], values) });
  }
  return made;
}

async function putValues(
  ctx: Ctx,
  optionId: string,
  had: readonly ValueOf[],
  wanted: OptionWanted['values'],
): Promise<ValueOf[]> {
  const now = ctx.now();
  for (const gone of had.filter(({ value }) => !wanted.some((one) => one.value === value)))
    await repo.removeValue(ctx, gone.id);
  const stored = await optionValueRows.of(
    ctx,
    had.map(({ id }) => id),
  );
  const made: ValueOf[] = [];
  for (const [position, { value, swatchHex = null, mediaId: picture }] of wanted.entries()) {
    const before = stored.find((one) => one.value === value);
    const row = { id: before?.id ?? ctx.newId(ids.optionValue), value, swatchHex, position };
    const { createdAt = now } = before ?? {};
    const mediaId = picture === undefined ? (before?.mediaId ?? null) : picture;
    const next = { ...row, optionId, mediaId, createdAt, updatedAt: now };
    const taken = `the value ${value} appears twice; list each once`;
    if (before === undefined) await storing(taken, () => repo.insertValues(ctx, [next]));
    else await repo.updateValue(ctx, next);
    made.push({ ...row, media: had.find(({ id }) => id === row.id)?.media ?? null });
  }
  return made;
}

/** @param whole with the options as they are by now, and the variants as they were */
async function putVariants(ctx: Ctx, whole: Whole, wanted: readonly VariantCreateInput[]): Promise<void> {
  const known = new Map(whole.variants.map((one) => [normed(one.sku), one]));
  const named = new Set(wanted.map(({ sku }) => normed(sku)));
  for (const gone of whole.variants.filter(({ sku }) => !named.has(normed(sku)))) await drop(ctx, gone);
  const kept: VariantOf[] = [];
  const added: VariantCreateInput[] = [];
  for (const [place, input] of wanted.entries()) {
    const before = known.get(normed(input.sku));
    if (before === undefined) {
      added.push({ ...input, position: input.position ?? place });
      continue;
    }
    const chosen = chosenBy(whole.options, input.optionValues ?? {});
    requireNewCombination(kept, chosen);
    const row = {
      ...merged(before, input, place),
      chosen,
      optionKey: optionKeyOf(chosen),
      updatedAt: ctx.now(),
    };
    await storing(skuText(row.sku), () => repo.updateVariant(ctx, row), namedBy.variants([row]));
    await repo.replaceLinks(ctx, row.id, linksOf(row.id, chosen));
    kept.push(row);
  }
  await insertVariants(ctx, { ...whole, variants: kept }, added);
  if (kept.length < whole.variants.length) await variantsChanged(ctx, whole.product.id);
}

/** One that stands in an order, or is held for one, is hidden and stays. */
async function drop(ctx: Ctx, variant: VariantOf): Promise<void> {
  const isKept = variant.isOrdered || (await isReserved(ctx, [variant.id]));
  if (!isKept) return repo.removeVariant(ctx, variant.id);
  await repo.updateVariant(ctx, { ...variant, isDefault: false, deletedAt: ctx.now(), updatedAt: ctx.now() });
}
