import type { Media } from '#platform/media/index.ts';
import type { Category } from '#storefront/catalog/categories/index.ts';
import type { Collection } from '#storefront/catalog/collections/index.ts';
import type { Level } from '#storefront/catalog/inventory/index.ts';
import type { Whole } from '#storefront/catalog/products/index.ts';
import type { Classes } from './classes.ts';
import type { CategoryLine, CollectionLine, ProductLine } from './line.ts';

const named = ({ sha256, fileName }: Media) => ({ sha256, file_name: fileName });

/** A product as a line of a file. */
export const productLine = (
  { product, options, variants, tags, pictures, places }: Whole,
  classes: Classes,
): ProductLine => ({
  kind: 'product',
  slug: product.slug,
  title: product.title,
  type: product.type,
  status: product.status,
  description_html: product.descriptionHtml,
  short_description: product.shortDescription,
  brand: product.brand,
  is_discountable: product.isDiscountable,
  is_taxable: product.isTaxable,
  tax_class: product.taxClassId === null ? null : (classes.tax.get(product.taxClassId) ?? null),
  min_quantity: product.minQuantity,
  max_quantity: product.maxQuantity,
  publish_at: product.publishAt,
  seo: { title: product.seoTitle, description: product.seoDescription },
  tags: [...tags],
  categories: slugsOf(places, 'category'),
  collections: slugsOf(places, 'collection'),
  options: options.map(({ name, values }) => ({
    name,
    values: values.map(({ value, swatchHex, media }) => ({
      value,
      swatch_hex: swatchHex,
      picture: media && named(media),
    })),
  })),
  variants: variants.map((variant) => variantLine(variant, classes)),
  pictures: pictures.map(({ media, alt, variantId }) => ({
    ...named(media),
    alt,
    sku: variants.find(({ id }) => id === variantId)?.sku ?? null,
  })),
});

const slugsOf = (places: Whole['places'], wanted: Whole['places'][number]['kind']): string[] =>
  places
    .filter(({ kind }) => kind === wanted)
    .map(({ slug }) => slug)
    .toSorted();

const variantLine = (variant: Whole['variants'][number], { shipping }: Classes) => ({
  sku: variant.sku,
  option_values: Object.fromEntries(variant.chosen.map(({ option, value }) => [option, value])),
  price_cents: variant.priceCents,
  compare_at_cents: variant.compareAtCents,
  cost_cents: variant.costCents,
  barcode: variant.barcode,
  weight_g: variant.weightG,
  length_mm: variant.lengthMm,
  width_mm: variant.widthMm,
  height_mm: variant.heightMm,
  requires_shipping: variant.requiresShipping,
  shipping_class: variant.shippingClassId === null ? null : (shipping.get(variant.shippingClassId) ?? null),
  is_default: variant.isDefault,
  ...(variant.stock && { stock: stockLine(variant.stock.level) }),
  price_tiers: variant.tiers.map(({ minQuantity, unitCents }) => ({
    min_quantity: minQuantity,
    unit_cents: unitCents,
  })),
});

const stockLine = ({ onHand, trackInventory, allowBackorder, lowStockThreshold }: Level) => ({
  on_hand: onHand,
  track_inventory: trackInventory,
  allow_backorder: allowBackorder,
  low_stock_threshold: lowStockThreshold,
});

const seoOf = ({ seoTitle, seoDescription }: Pick<Category, 'seoTitle' | 'seoDescription'>) => ({
  title: seoTitle,
  description: seoDescription,
});

/** A category as a line of a file. @param parent its slug */
export const categoryLine = (
  category: Category,
  parent: string | null,
  picture: Media | null,
): CategoryLine => ({
  kind: 'category',
  slug: category.slug,
  name: category.name,
  parent,
  position: category.position,
  description: category.description,
  picture: picture && named(picture),
  seo: seoOf(category),
});

/** A collection as a line of a file. @param slugs of categories by their ids */
export const collectionLine = (
  collection: Collection,
  slugs: ReadonlyMap<string, string>,
  picture: Media | null,
): CollectionLine => ({
  kind: 'collection',
  slug: collection.slug,
  title: collection.title,
  filled: collection.kind,
  rules: collection.rules.map(({ value, ...rule }) => ({
    ...rule,
    value: rule.field === 'category' ? (slugs.get(value) ?? value) : value,
  })),
  match: collection.match,
  sort: collection.sort,
  description: collection.description,
  picture: picture && named(picture),
  seo: seoOf(collection),
});
