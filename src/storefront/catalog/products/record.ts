import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { newMediaId } from '#platform/media/view.ts';
import { ids } from '#storefront/contract/ids.ts';

export const PRODUCT_STATUSES = ['draft', 'active', 'archived'] as const;
export const PRODUCT_TYPES = [
  'physical',
  'digital',
  'license',
  'gift_card',
  'subscription',
  'merch',
] as const;
export const RELATION_KINDS = ['related', 'upsell', 'cross_sell'] as const;

/** Largest amount of money (storefront-domain 1). */
export const MOST_CENTS = 100_000_000_000;
export const MOST_QUANTITY = 999;

const cents = () => column.integer(0, MOST_CENTS);
const measure = () => column.integer(0, 1_000_000_000);

/** Case and surrounding space make no other SKU and no other tag (storefront-domain 1). */
export const normed = (text: string): string => text.trim().toUpperCase();

/** What the shop sells (storefront-domain 4.1). */
export const shopProductRecord = record(
  'products',
  {
    id: column.id(ids.shopProduct),
    title: column.text(255, 1),
    slug: column.text(63, 1),
    status: column.choice(PRODUCT_STATUSES),
    type: column.choice(PRODUCT_TYPES),
    descriptionHtml: column.text(100_000).nullable(),
    shortDescription: column.text(1000).nullable(),
    brand: column.text(100).nullable(),
    isDiscountable: column.flag(),
    isTaxable: column.flag(),
    /** null: the class standard. */
    taxClassId: column.id(ids.taxClass).references('tax_classes').nullable(),
    minQuantity: column.integer(1, MOST_QUANTITY),
    /** null: as many as there are. */
    maxQuantity: column.integer(1, MOST_QUANTITY).nullable(),
    /** An active product is shown from then on; null: at once. */
    publishAt: column.time().nullable(),
    seoTitle: column.text(255).nullable(),
    seoDescription: column.text(500).nullable(),
    ratingSum: column.integer(0),
    ratingCount: column.integer(0),
    salesCount: column.integer(0),
    /** Rises with every change of the product, its options and variants. */
    version: column.integer(1),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['slug'] },
);
export type Product = ValuesOf<typeof shopProductRecord>;

/** What is bought: each has a price, and an amount in stock. */
export const variantRecord = record('product_variants', {
  id: column.id(ids.variant),
  productId: column.id(ids.shopProduct).references('products'),
  sku: column.text(100, 1),
  skuNorm: column.text(100).from(({ sku }: { sku: string }) => normed(sku)),
  barcode: column.text(100).nullable(),
  /** Its option values: `Red / M`; of the only variant of a product without options `Default`. */
  title: column.text(500, 1),
  /** Ids of its option values in their order, joined: no two variants of a product have the same. */
  optionKey: column.text(100),
  priceCents: cents(),
  compareAtCents: cents().nullable(),
  costCents: cents().nullable(),
  currency: column.text(3, 3),
  weightG: measure(),
  lengthMm: measure(),
  widthMm: measure(),
  heightMm: measure(),
  requiresShipping: column.flag(),
  /** What handling costs; null: nothing. */
  shippingClassId: column.id(ids.shippingClass).references('shipping_classes').nullable(),
  isDefault: column.flag(),
  position: column.integer(0),
  /** It stands in an order: it is hidden when it is removed, and stays. */
  isOrdered: column.flag(),
  deletedAt: column.time().nullable(),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type Variant = ValuesOf<typeof variantRecord>;

/** In what the variants of a product differ, such as color. */
export const optionRecord = record(
  'product_options',
  {
    id: column.id(ids.option),
    productId: column.id(ids.shopProduct).references('products'),
    name: column.text(50, 1),
    position: column.integer(0),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['productId', 'name'] },
);
export type Option = ValuesOf<typeof optionRecord>;

/** What an option may be, such as red. */
export const optionValueRecord = record(
  'product_option_values',
  {
    id: column.id(ids.optionValue),
    optionId: column.id(ids.option).references('product_options'),
    value: column.text(100, 1),
    swatchHex: column.text(7).nullable(),
    /** Shows it, such as a fabric. */
    mediaId: column.id(newMediaId).references('media').nullable(),
    position: column.integer(0),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['optionId', 'value'] },
);
export type OptionValue = ValuesOf<typeof optionValueRecord>;

/** Which value a variant has of each option. */
export const variantValueRecord = record(
  'variant_option_values',
  {
    variantId: column.id(ids.variant).references('product_variants'),
    optionId: column.id(ids.option).references('product_options'),
    valueId: column.id(ids.optionValue).references('product_option_values'),
  },
  { key: ['variantId', 'optionId'] },
);
export type VariantValue = ValuesOf<typeof variantValueRecord>;

/** Words that products are found and grouped by. */
export const tagRecord = record(
  'product_tags',
  {
    productId: column.id(ids.shopProduct).references('products'),
    tag: column.text(50, 1),
    tagNorm: column.text(50).from(({ tag }: { tag: string }) => normed(tag)),
  },
  { key: ['productId', 'tagNorm'] },
);

/** Products that are shown beside another one. */
export const relationRecord = record(
  'product_relations',
  {
    productId: column.id(ids.shopProduct).references('products'),
    relatedId: column.id(ids.shopProduct).references('products'),
    kind: column.choice(RELATION_KINDS),
    position: column.integer(0),
  },
  { key: ['productId', 'relatedId', 'kind'] },
);
export type Relation = ValuesOf<typeof relationRecord>;

/** Pictures that a product shows, the first of them in lists too. */
export const productMediaRecord = record(
  'product_media',
  {
    productId: column.id(ids.shopProduct).references('products'),
    mediaId: column.id(newMediaId).references('media'),
    /** It is of this variant alone; null: of all of them. */
    variantId: column.id(ids.variant).references('product_variants').nullable(),
    /** In place of the picture's own words. */
    alt: column.text(500).nullable(),
    position: column.integer(0),
  },
  { key: ['productId', 'mediaId'] },
);
export type ProductMedia = ValuesOf<typeof productMediaRecord>;

/** A slug that a product had before: its links lead on. */
export const slugRedirectRecord = record(
  'slug_redirects',
  {
    slug: column.text(63, 1),
    productId: column.id(ids.shopProduct).references('products'),
    createdAt: column.time(),
  },
  { key: ['slug'] },
);
