import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { refuse } from './change.ts';
import { normed, type Product, type Variant, type VariantValue } from './record.ts';
import type { VariantCreateInput } from './schemas.ts';
import { type Chosen, type OptionOf, optionKeyOf, titleOf, type VariantOf } from './whole.ts';

/**
 * The values that names stand for, in the order of the options.
 *
 * @param named `{Color: 'Red'}`
 * @throws AppError VALIDATION_ERROR for an option that the product has not or that is not named, and an unknown value
 */
export function chosenBy(options: readonly OptionOf[], named: Readonly<Record<string, string>>): Chosen[] {
  const unknown = Object.keys(named).find((name) => !options.some((option) => option.name === name));
  if (unknown !== undefined) {
    const known = options.map(({ name }) => name).join(', ');
    throw invalidField(
      'option_values',
      `the product has no option ${unknown}; ${known ? `it has ${known}` : 'add the option first'}`,
    );
  }
  return options.map((option) => {
    // An option may be called `constructor`, which every object has.
    const wanted = Object.hasOwn(named, option.name) ? named[option.name] : undefined;
    if (wanted === undefined) throw invalidField('option_values', `choose a value of ${option.name}`);
    const value = option.values.find((one) => one.value === wanted);
    if (!value)
      throw invalidField('option_values', `${option.name} has no value ${wanted}; add the value first`);
    return { optionId: option.id, option: option.name, valueId: value.id, value: value.value };
  });
}

/**
 * Demands that no other variant has the same values.
 *
 * @throws AppError CONFLICT, reason DUPLICATE
 */
export function requireNewCombination(
  others: readonly Pick<VariantOf, 'sku' | 'optionKey'>[],
  chosen: readonly Chosen[],
): void {
  const key = optionKeyOf(chosen);
  const rival = others.find(({ optionKey }) => optionKey === key);
  if (!rival) return;
  throw refuse(
    'DUPLICATE',
    chosen.length === 0
      ? `the product has no options and the variant ${rival.sku} already; add an option first`
      : `the variant ${rival.sku} is ${titleOf(chosen)} already; choose other values`,
  );
}

/** A new variant from what was sent; its place is the last one when none was. */
export function variantFrom(
  ctx: Ctx,
  product: Pick<Product, 'id' | 'type'>,
  chosen: readonly Chosen[],
  input: VariantCreateInput,
  last: number,
): Variant {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.variant),
    productId: product.id,
    sku: input.sku,
    barcode: input.barcode ?? null,
    title: titleOf(chosen),
    optionKey: optionKeyOf(chosen),
    priceCents: input.priceCents,
    compareAtCents: input.compareAtCents ?? null,
    costCents: input.costCents ?? null,
    currency: ctx.settings.get(currencyCode),
    weightG: input.weightG ?? 0,
    lengthMm: input.lengthMm ?? 0,
    widthMm: input.widthMm ?? 0,
    heightMm: input.heightMm ?? 0,
    requiresShipping: input.requiresShipping ?? isShipped(product),
    shippingClassId: input.shippingClassId ?? null,
    isDefault: false,
    position: input.position ?? last,
    isOrdered: false,
    deletedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

const isShipped = ({ type }: Pick<Product, 'type'>): boolean => type === 'physical' || type === 'merch';

export const linksOf = (variantId: string, chosen: readonly Chosen[]): VariantValue[] =>
  chosen.map(({ optionId, valueId }) => ({ variantId, optionId, valueId }));

/**
 * Demands that no two of some new variants have the same SKU; the index tells of those that are stored.
 *
 * @throws AppError CONFLICT, reason DUPLICATE
 */
export function requireDistinctSkus(skus: readonly string[]): void {
  const seen = new Set<string>();
  for (const sku of skus) {
    if (seen.has(normed(sku))) throw skuTaken(sku);
    seen.add(normed(sku));
  }
}

export const skuText = (sku: string): string => `SKU ${sku} is taken by another variant; choose another one`;

export const skuTaken = (sku: string) => refuse('DUPLICATE', skuText(sku));
