import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { sentFields } from '#kernel/service/input.ts';
import type { Media } from '#platform/media/index.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as collections from '#storefront/catalog/collections/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { type Classes, classesOf, classNamed } from './classes.ts';
import type { PictureLine, ProductLine, VariantLine } from './line.ts';
import { picturesNamed } from './named-pictures.ts';
import { type Announced, idsOf, type Result } from './places.ts';
import { putSale } from './sale.ts';

/**
 * Makes a product, or changes the one with its slug or else with an SKU of its variants. What the line does not say
 * stays; lists that it says replace those that there are.
 *
 * @throws AppError VALIDATION_ERROR, with reason MISSING_PICTURE and `missing` for pictures that the library has not;
 *   CONFLICT as the use cases of products
 */
export function takeProduct(ctx: Ctx, line: ProductLine, announced: Announced): Promise<Result> {
  return ctx.tx(async (ctx) => {
    const { media, shown } = await picturesOf(ctx, line);
    const before = await existing(ctx, line);
    const classes = await classesOf(ctx);
    const fields = await fieldsOf(ctx, line, announced, classes);
    const mediaIds = line.pictures && media.map(({ id }) => id);
    if (before === null) return made(ctx, line, { ...fields, mediaIds }, { media, shown, classes });
    if (line.options || line.variants)
      await products.replaceVariants(ctx, before.id, await wantedOf(ctx, before, line, { shown, classes }));
    await products.change(ctx, before.id, { ...fields, slug: line.slug, mediaIds });
    const isSold = await putSale(ctx, before.id, line.variants ?? []);
    await arrange(ctx, before.id, line.pictures ?? [], media);
    const { version } = await products.get(ctx, before.id);
    return version === before.version && !isSold ? 'unchanged' : 'updated';
  });
}

interface Pictures {
  /** Those that the product shows. */
  readonly media: readonly Media[];
  /** Ids of those that show values of its options, by their digests. */
  readonly shown: ReadonlyMap<string, string>;
}

/** Throws as `picturesNamed` does, for all pictures of the line together. */
async function picturesOf(ctx: Ctx, { pictures = [], options = [] }: ProductLine): Promise<Pictures> {
  const ofValues = options.flatMap(({ values }) => values.flatMap(({ picture }) => picture ?? []));
  const found = await picturesNamed(ctx, [...pictures, ...ofValues]);
  const shown = found.slice(pictures.length).map(({ sha256, id }) => [sha256, id] as const);
  return { media: found.slice(0, pictures.length), shown: new Map(shown) };
}

async function made(
  ctx: Ctx,
  line: ProductLine,
  fields: Awaited<ReturnType<typeof fieldsOf>> & { mediaIds: string[] | undefined },
  { media, shown, classes }: Pictures & { readonly classes: Classes },
): Promise<Result> {
  const { options = [], variants = [] } = line;
  const { id } = await products.create(ctx, {
    ...fields,
    slug: line.slug,
    options: options.map(({ name, values }) => ({ name, values: values.map(({ value }) => value) })),
    variants: variantInputs(variants, classes),
  });
  // Colors and pictures of values, which a product is not made with.
  if (options.some(({ values }) => values.some(({ swatch_hex, picture }) => swatch_hex || picture)))
    await products.replaceVariants(ctx, id, wantedFrom(options, variants, { shown, classes }));
  await putSale(ctx, id, variants);
  await arrange(ctx, id, line.pictures ?? [], media);
  return 'created';
}

async function fieldsOf(ctx: Ctx, line: ProductLine, announced: Announced, classes: Classes) {
  const placed = line.categories || line.collections;
  const places = placed ? [await categories.listAll(ctx), await collections.listAll(ctx)] : [[], []];
  const [inCategories = [], inCollections = []] = places;
  return {
    title: line.title,
    type: line.type,
    ...sentFields({
      status: line.status,
      descriptionHtml: line.description_html,
      shortDescription: line.short_description,
      brand: line.brand,
      isDiscountable: line.is_discountable,
      isTaxable: line.is_taxable,
      taxClassId: classNamed(classes, 'tax', line.tax_class, 'tax_class'),
      minQuantity: line.min_quantity,
      maxQuantity: line.max_quantity,
      publishAt: line.publish_at,
      seoTitle: line.seo?.title,
      seoDescription: line.seo?.description,
      tags: line.tags,
      categoryIds: idsOf(inCategories, 'categories', line.categories, announced),
      collectionIds: idsOf(inCollections, 'collections', line.collections, announced),
    }),
  };
}

/** The product that a line is about; null: it makes one. @throws AppError CONFLICT when its SKUs are of several */
async function existing(ctx: Ctx, { slug, variants = [] }: ProductLine): Promise<products.Product | null> {
  const bySlug = slug === undefined ? undefined : (await products.idsBySlug(ctx, [slug])).get(slug);
  if (bySlug !== undefined) return products.get(ctx, bySlug);
  const owners = new Map<string, string>();
  for (const { sku } of variants) {
    const { items } = await products.variantRows.page(ctx, { filters: { sku }, offset: 0, limit: 1 });
    for (const { productId } of items) owners.set(productId, sku);
  }
  if (owners.size > 1)
    throw fail('CONFLICT', `SKUs ${[...owners.values()].join(' and ')} belong to different products`, {
      details: { reason: 'DUPLICATE' },
    });
  const [owner] = owners.keys();
  return owner === undefined ? null : products.get(ctx, owner);
}

const variantInputs = (lines: readonly VariantLine[], classes: Classes): products.VariantCreateInput[] =>
  lines.map((line, at) => variantInput(line, at, classes));

const variantInput = (line: VariantLine, at: number, classes: Classes): products.VariantCreateInput => ({
  sku: line.sku,
  priceCents: line.price_cents,
  ...sentFields({
    optionValues: line.option_values,
    compareAtCents: line.compare_at_cents,
    costCents: line.cost_cents,
    barcode: line.barcode,
    weightG: line.weight_g,
    lengthMm: line.length_mm,
    widthMm: line.width_mm,
    heightMm: line.height_mm,
    requiresShipping: line.requires_shipping,
    shippingClassId: classNamed(classes, 'shipping', line.shipping_class, `variants.${at}.shipping_class`),
    isDefault: line.is_default,
  }),
});

/** What a line names and the shop has. */
interface Named {
  readonly shown: Pictures['shown'];
  readonly classes: Classes;
}

const wantedFrom = (
  options: NonNullable<ProductLine['options']>,
  variants: NonNullable<ProductLine['variants']>,
  { shown, classes }: Named,
): products.VariantsWanted => ({
  options: options.map(({ name, values }) => ({
    name,
    values: values.map(({ value, swatch_hex, picture }) => ({
      value,
      swatchHex: swatch_hex ?? null,
      mediaId: picture ? shown.get(picture.sha256) : picture,
    })),
  })),
  variants: variantInputs(variants, classes),
});

/** Of options and variants the one that the line does not say is as it is. */
async function wantedOf(
  ctx: Ctx,
  product: products.Product,
  { options, variants }: ProductLine,
  named: Named,
): Promise<products.VariantsWanted> {
  const whole = await products.getWhole(ctx, product.id);
  const wanted = wantedFrom(options ?? [], variants ?? [], named);
  return {
    options: options ? wanted.options : whole.options,
    variants: variants
      ? wanted.variants
      : whole.variants.map(({ sku, priceCents, chosen }) => ({
          sku,
          priceCents,
          optionValues: Object.fromEntries(chosen.map(({ option, value }) => [option, value])),
        })),
  };
}

/** Words and variants of the pictures, where they are not what the line says. */
async function arrange(
  ctx: Ctx,
  id: string,
  lines: readonly PictureLine[],
  media: readonly Media[],
): Promise<void> {
  if (lines.length === 0) return;
  const { pictures, variants } = await products.getWhole(ctx, id);
  const items = lines.flatMap(({ alt, sku }, at) => {
    const mediaId = media[at]?.id ?? '';
    const shown = pictures.find((one) => one.media.id === mediaId);
    const variantId = sku == null ? sku : variantOf(variants, sku, at);
    const isAlt = alt === undefined || alt === (shown?.alt ?? null);
    const isVariant = variantId === undefined || variantId === (shown?.variantId ?? null);
    if (isAlt && isVariant) return [];
    return [{ mediaId, ...sentFields({ alt, variantId }), position: at }];
  });
  if (items.length > 0) await products.arrangePictures(ctx, id, { items });
}

function variantOf(variants: products.Whole['variants'], sku: string, at: number): string {
  const found = variants.find((one) => products.normed(one.sku) === products.normed(sku));
  if (!found) throw invalidField(`pictures.${at}.sku`, `the product has no variant ${sku}`);
  return found.id;
}
