import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { ImageView, imageOf, ProductMediaView, productMediaView } from './picture-view.ts';
import { PRODUCT_STATUSES, PRODUCT_TYPES, type Product } from './record.ts';
import type { OptionOf, PlaceOf, VariantOf, Whole } from './whole.ts';

const cents = () => count();

const OptionValueShown = { id: z.string(), value: z.string(), swatch_hex: z.string().nullable() };
const VariantShown = {
  id: z.string(),
  sku: z.string(),
  title: z.string(),
  /** Names of options with the names of their values. */
  option_values: z.record(z.string(), z.string()),
  price_cents: cents(),
  compare_at_cents: cents().nullable(),
  weight_g: count(),
  requires_shipping: z.boolean(),
  barcode: z.string().nullable(),
  /** The first picture that is of this variant alone. */
  media_id: z.string().nullable(),
};
const Seo = z.object({ title: z.string().nullable(), description: z.string().nullable() });
const Place = z.object({ id: z.string(), name: z.string(), slug: z.string() });
const CardShown = {
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  brand: z.string().nullable(),
  price_cents: cents(),
  compare_at_cents: cents().nullable(),
  price_max_cents: cents(),
  currency: z.string(),
  image: ImageView.nullable(),
  rating: z.number().nullable(),
  review_count: count(),
  badges: z.array(z.enum(['sale'])),
};

/** A product as lists of the shop show it. */
export const ProductCardView = z.object(CardShown).meta({ id: 'ProductCard' });
export type ProductCard = z.output<typeof ProductCardView>;

/** A product as its page in the shop shows it. */
export const ShopProductView = z
  .object({
    ...CardShown,
    type: z.enum(PRODUCT_TYPES),
    description_html: z.string().nullable(),
    short_description: z.string().nullable(),
    min_quantity: count(),
    max_quantity: count().nullable(),
    options: z.array(
      z.object({ id: z.string(), name: z.string(), values: z.array(z.object(OptionValueShown)) }),
    ),
    variants: z.array(z.object(VariantShown)),
    /** Those that have been rendered. */
    media: z.array(ProductMediaView),
    tags: z.array(z.string()),
    seo: Seo,
  })
  .meta({ id: 'ShopProduct' });
export type ShopProduct = z.output<typeof ShopProductView>;

/** A variant as staff see it. */
export const VariantView = z
  .object({
    ...VariantShown,
    product_id: z.string(),
    cost_cents: cents().nullable(),
    currency: z.string(),
    length_mm: count(),
    width_mm: count(),
    height_mm: count(),
    is_default: z.boolean(),
    position: count(),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Variant' });

/** A value of an option as staff see it. */
export const OptionValueView = z
  .object({ ...OptionValueShown, position: count() })
  .meta({ id: 'ProductOptionValue' });

/** An option as staff see it. */
export const OptionView = z
  .object({ id: z.string(), name: z.string(), position: count(), values: z.array(OptionValueView) })
  .meta({ id: 'ProductOption' });

/** A product as staff see it. */
export const StoreProductView = z
  .object({
    id: z.string(),
    title: z.string(),
    slug: z.string(),
    status: z.enum(PRODUCT_STATUSES),
    type: z.enum(PRODUCT_TYPES),
    description_html: z.string().nullable(),
    short_description: z.string().nullable(),
    brand: z.string().nullable(),
    is_discountable: z.boolean(),
    is_taxable: z.boolean(),
    min_quantity: count(),
    max_quantity: count().nullable(),
    publish_at: instant().nullable(),
    seo: Seo,
    /** null: it has no variant yet. */
    price_cents: cents().nullable(),
    price_max_cents: cents().nullable(),
    currency: z.string().nullable(),
    rating: z.number().nullable(),
    review_count: count(),
    tags: z.array(z.string()),
    categories: z.array(Place),
    /** Those that it was put into by hand. */
    collections: z.array(Place),
    options: z.array(OptionView),
    variants: z.array(VariantView),
    media: z.array(ProductMediaView),
    version: count(),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'StoreProduct' });
export type StoreProduct = z.output<typeof StoreProductView>;

/** What is shown beside a product. */
export const RelationView = z
  .object({ product_id: z.string(), kind: z.enum(['related', 'upsell', 'cross_sell']) })
  .meta({ id: 'ProductRelation' });

/** One decimal, as stars show it. */
const ratingOf = ({ ratingSum, ratingCount }: Product): number | null =>
  ratingCount === 0 ? null : Math.round((ratingSum * 10) / ratingCount) / 10;

const seoOf = ({ seoTitle, seoDescription }: Product) => ({ title: seoTitle, description: seoDescription });

const shownVariant = (variant: VariantOf) => ({
  id: variant.id,
  sku: variant.sku,
  title: variant.title,
  option_values: Object.fromEntries(variant.chosen.map(({ option, value }) => [option, value])),
  price_cents: variant.priceCents,
  compare_at_cents: variant.compareAtCents,
  weight_g: variant.weightG,
  requires_shipping: variant.requiresShipping,
  barcode: variant.barcode,
  media_id: variant.mediaId,
});

export const variantView = (variant: VariantOf): z.output<typeof VariantView> => ({
  ...shownVariant(variant),
  product_id: variant.productId,
  cost_cents: variant.costCents,
  currency: variant.currency,
  length_mm: variant.lengthMm,
  width_mm: variant.widthMm,
  height_mm: variant.heightMm,
  is_default: variant.isDefault,
  position: variant.position,
  created_at: variant.createdAt,
  updated_at: variant.updatedAt,
});

export const optionValueView = ({
  id,
  value,
  swatchHex,
  position,
}: OptionOf['values'][number]): z.output<typeof OptionValueView> => ({
  id,
  value,
  swatch_hex: swatchHex,
  position,
});

export const optionView = ({ id, name, position, values }: OptionOf): z.output<typeof OptionView> => ({
  id,
  name,
  position,
  values: values.map(optionValueView),
});

/** The range of the prices of some variants; null of none. */
const pricesOf = (variants: readonly VariantOf[]) => {
  const prices = variants.map(({ priceCents }) => priceCents);
  const isNone = prices.length === 0;
  return {
    price_cents: isNone ? null : Math.min(...prices),
    price_max_cents: isNone ? null : Math.max(...prices),
    currency: variants[0]?.currency ?? null,
  };
};

const placesIn = (places: readonly PlaceOf[], wanted: PlaceOf['kind']) =>
  places.filter(({ kind }) => kind === wanted).map(({ kind: _kind, ...place }) => place);

export const storeProductView = ({
  product,
  options,
  variants,
  tags,
  pictures,
  places,
}: Whole): StoreProduct => ({
  id: product.id,
  title: product.title,
  slug: product.slug,
  status: product.status,
  type: product.type,
  description_html: product.descriptionHtml,
  short_description: product.shortDescription,
  brand: product.brand,
  is_discountable: product.isDiscountable,
  is_taxable: product.isTaxable,
  min_quantity: product.minQuantity,
  max_quantity: product.maxQuantity,
  publish_at: product.publishAt,
  seo: seoOf(product),
  ...pricesOf(variants),
  rating: ratingOf(product),
  review_count: product.ratingCount,
  tags: [...tags],
  categories: placesIn(places, 'category'),
  collections: placesIn(places, 'collection'),
  options: options.map(optionView),
  variants: variants.map(variantView),
  media: pictures.map(productMediaView),
  version: product.version,
  created_at: product.createdAt,
  updated_at: product.updatedAt,
});

/** A product in a list of the shop. @throws Error without variants: nothing of it can be bought */
export const cardOf = ({ product, variants, pictures }: Whole): ProductCard => {
  const cheapest = variants.toSorted((one, other) => one.priceCents - other.priceCents)[0];
  if (!cheapest) throw new Error(`product ${product.id} has no variants`);
  const standing = variants.find(({ isDefault }) => isDefault) ?? cheapest;
  const low = cheapest.priceCents;
  const before = standing.priceCents === low ? standing.compareAtCents : null;
  return {
    id: product.id,
    slug: product.slug,
    title: product.title,
    brand: product.brand,
    price_cents: low,
    compare_at_cents: before,
    price_max_cents: Math.max(...variants.map(({ priceCents }) => priceCents)),
    currency: standing.currency,
    image: imageOf(pictures),
    rating: ratingOf(product),
    review_count: product.ratingCount,
    badges: before !== null && before > low ? ['sale'] : [],
  };
};

/** A product with variants as the shop shows it. */
export const shopProductView = (whole: Whole): ShopProduct => {
  const { product, options, variants, tags, pictures } = whole;
  return {
    ...cardOf(whole),
    type: product.type,
    description_html: product.descriptionHtml,
    short_description: product.shortDescription,
    min_quantity: product.minQuantity,
    max_quantity: product.maxQuantity,
    options: options.map(({ id, name, values }) => ({
      id,
      name,
      values: values.map(({ position: _own, ...value }) => ({
        id: value.id,
        value: value.value,
        swatch_hex: value.swatchHex,
      })),
    })),
    variants: variants.map(shownVariant),
    media: pictures.filter(({ media }) => media.variants !== null).map(productMediaView),
    tags: [...tags],
    seo: seoOf(product),
  };
};
