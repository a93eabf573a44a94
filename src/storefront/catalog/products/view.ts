import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ImageView } from '#storefront/contract/picture.ts';
import { publicUnitPrice } from '#storefront/contract/unit-price.ts';
import { StockShown, UNCOUNTED, VariantInventoryView, variantInventoryView } from '../inventory/view.ts';
import { OptionValueShown, OptionView, optionValueView, optionView } from './option-view.ts';
import { imageOf, ProductMediaView, productMediaView } from './picture-view.ts';
import { PRODUCT_STATUSES, PRODUCT_TYPES, type Product } from './record.ts';
import { scheduledFor } from './schedule.ts';
import { PriceTierView, priceTierView } from './tiers/view.ts';
import { VariantLicenseView } from './variant-license.ts';
import type { PlaceOf, VariantOf, Whole } from './whole.ts';

const cents = () => count();

const VariantShown = {
  id: z.string(),
  sku: z.string(),
  title: z.string(),
  /** Names of options with the names of their values. */
  option_values: z.record(z.string(), z.string()),
  price_cents: cents(),
  compare_at_cents: cents().nullable(),
  /** What one costs this buyer. */
  unit_cents: cents(),
  /** What each costs everybody who buys so many. */
  tiers: z.array(PriceTierView),
  weight_g: count(),
  requires_shipping: z.boolean(),
  barcode: z.string().nullable(),
  /** The first picture that is of this variant alone. */
  media_id: z.string().nullable(),
};

const Seo = later(() => z.object({ title: z.string().nullable(), description: z.string().nullable() }));
const Place = later(() => z.object({ id: z.string(), name: z.string(), slug: z.string() }));
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
  /** Whether any of its variants can be bought. */
  in_stock: z.boolean(),
  badges: z.array(z.enum(['sale', 'license', 'low_stock'])),
};

export { variantLicenseView } from './variant-license.ts';
export { PriceTierView, priceTierView };

/** A product as lists of the shop show it. */
export const ProductCardView = z.object(CardShown).meta({ id: 'ProductCard' });
export type ProductCard = z.output<typeof ProductCardView>;

/** A product as its page in the shop shows it. */
export const ShopProductView = later(() =>
  z
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
      variants: z.array(z.object({ ...VariantShown, ...StockShown, license: VariantLicenseView.nullable() })),
      /** Those that have been rendered. */
      media: z.array(ProductMediaView),
      tags: z.array(z.string()),
      seo: Seo,
    })
    .meta({ id: 'ShopProduct' }),
);
export type ShopProduct = z.output<typeof ShopProductView>;

/** A variant as staff see it. */
export const VariantView = later(() =>
  z
    .object({
      ...VariantShown,
      product_id: z.string(),
      cost_cents: cents().nullable(),
      currency: z.string(),
      length_mm: count(),
      width_mm: count(),
      height_mm: count(),
      shipping_class_id: z.string().nullable(),
      is_default: z.boolean(),
      position: count(),
      inventory: VariantInventoryView.nullable(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'Variant' }),
);

/** A product as staff see it. */
export const StoreProductView = later(() =>
  z
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
      /** null: the class standard. */
      tax_class_id: z.string().nullable(),
      min_quantity: count(),
      max_quantity: count().nullable(),
      publish_at: instant().nullable(),
      /** It is active and the shop shows it from then on; null: it is shown, or is not active. */
      scheduled_for: instant().nullable(),
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
    .meta({ id: 'StoreProduct' }),
);
export type StoreProduct = z.output<typeof StoreProductView>;

/** What is shown beside a product. */
export const RelationView = later(() =>
  z
    .object({ product_id: z.string(), kind: z.enum(['related', 'upsell', 'cross_sell']) })
    .meta({ id: 'ProductRelation' }),
);

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
  unit_cents: publicUnitPrice(variant, 1),
  tiers: variant.tiers.map(priceTierView),
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
  shipping_class_id: variant.shippingClassId,
  is_default: variant.isDefault,
  position: variant.position,
  inventory: variant.stock && variantInventoryView(variant.stock.level, variant.stock.standing),
  created_at: variant.createdAt,
  updated_at: variant.updatedAt,
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

/** @param now ISO time, `ctx.now()` */
export const storeProductView = (
  { product, options, variants, tags, pictures, places }: Whole,
  now: string,
): StoreProduct => ({
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
  tax_class_id: product.taxClassId,
  min_quantity: product.minQuantity,
  max_quantity: product.maxQuantity,
  publish_at: product.publishAt,
  scheduled_for: scheduledFor(product, now),
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

/** A product in a list of the shop, as if nothing of it were counted: `search` knows its stock. @throws Error without variants: nothing of it can be bought */
export const cardOf = ({ product, variants, pictures }: Whole): ProductCard => {
  const priced = variants.map((variant) => ({ variant, unit: publicUnitPrice(variant, 1) }));
  const cheapest = priced.toSorted((one, other) => one.unit - other.unit)[0];
  if (!cheapest) throw new Error(`product ${product.id} has no variants`);
  const standing = priced.find(({ variant }) => variant.isDefault) ?? cheapest;
  const low = cheapest.unit;
  const before = standing.unit === low ? standing.variant.compareAtCents : null;
  return {
    id: product.id,
    slug: product.slug,
    title: product.title,
    brand: product.brand,
    price_cents: low,
    compare_at_cents: before,
    price_max_cents: Math.max(...priced.map(({ unit }) => unit)),
    currency: standing.variant.currency,
    image: imageOf(pictures),
    rating: ratingOf(product),
    review_count: product.ratingCount,
    in_stock: true,
    badges: [
      ...(before !== null && before > low ? (['sale'] as const) : []),
      ...(product.type === 'license' ? (['license'] as const) : []),
    ],
  };
};

/** A product with variants as the shop shows it, as if nothing of it were counted: `search` knows its stock. */
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
      values: values.map((one) => {
        const { position: _own, ...shown } = optionValueView(one);
        return shown;
      }),
    })),
    variants: variants.map((variant) => ({ ...shownVariant(variant), ...UNCOUNTED, license: null })),
    media: pictures.filter(({ media }) => media.variants !== null).map(productMediaView),
    tags: [...tags],
    seo: seoOf(product),
  };
};
