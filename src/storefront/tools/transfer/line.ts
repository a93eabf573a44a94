import { z } from 'zod';
import { flag, integer, oneOf, optional, text } from '#kernel/http/fields.ts';
import { slugField } from '#kernel/service/fields.ts';
import { CategoryCreate } from '#storefront/catalog/categories/index.ts';
import { CollectionCreate } from '#storefront/catalog/collections/index.ts';
import {
  MOST_PLACED,
  MOST_RELATED,
  ProductCreate,
  RELATION_KINDS,
  VariantCreate,
} from '#storefront/catalog/products/index.ts';

const list = ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : 'must be a list');
const object = ({ input }: { input?: unknown }) =>
  input === undefined ? 'is required' : 'must be an object';
const P = ProductCreate.shape;
const V = VariantCreate.shape;
const C = CategoryCreate.shape;
const L = CollectionCreate.shape;

const seo = optional(z.strictObject({ title: P.seoTitle, description: P.seoDescription }, { error: object }));

const VariantLine = z.strictObject(
  {
    sku: V.sku,
    option_values: V.optionValues,
    price_cents: V.priceCents,
    compare_at_cents: V.compareAtCents,
    cost_cents: V.costCents,
    barcode: V.barcode,
    weight_g: V.weightG,
    length_mm: V.lengthMm,
    width_mm: V.widthMm,
    height_mm: V.heightMm,
    requires_shipping: V.requiresShipping,
    /** Name of its shipping class; null: of none. */
    shipping_class: text({ min: 1, max: 100 }).nullable().optional(),
    is_default: V.isDefault,
    /** Units on hand, and how the variant is sold. */
    stock: optional(
      z.strictObject(
        {
          on_hand: optional(integer(-1_000_000_000, 1_000_000_000)),
          track_inventory: optional(flag()),
          allow_backorder: optional(flag()),
          low_stock_threshold: integer(0, 1_000_000).nullable().optional(),
        },
        { error: object },
      ),
    ),
    /** Public quantity breaks. */
    price_tiers: optional(
      z
        .array(
          z.strictObject(
            { min_quantity: integer(1, 1_000_000), unit_cents: V.priceCents },
            { error: object },
          ),
          { error: list },
        )
        .max(50),
    ),
  },
  { error: object },
);
export type VariantLine = z.output<typeof VariantLine>;

const digest = () =>
  text({ max: 64, form: { pattern: /^[0-9a-f]{64}$/, says: '64 lowercase hexadecimal digits' } });

/** A picture of the library. */
const NamedPicture = z.strictObject(
  {
    /** Of the original, lower-case hex: its file is named after it. */
    sha256: digest(),
    file_name: optional(text({ max: 255 })),
  },
  { error: object },
);
export type NamedPicture = z.output<typeof NamedPicture>;

const PictureLine = z.strictObject(
  {
    ...NamedPicture.shape,
    alt: text({ max: 500 }).nullable().optional(),
    /** SKU of the variant that it shows; null: all of them. */
    sku: text({ min: 1, max: 100 }).nullable().optional(),
  },
  { error: object },
);
export type PictureLine = z.output<typeof PictureLine>;

const OptionLine = z.strictObject(
  {
    name: text({ min: 1, max: 50, trim: true }),
    values: z
      .array(
        z.strictObject(
          {
            value: text({ min: 1, max: 100, trim: true }),
            swatch_hex: text({
              max: 7,
              form: { pattern: /^#[0-9a-fA-F]{6}$/, says: 'a color such as #1f2937' },
            })
              .nullable()
              .optional(),
            picture: NamedPicture.nullable().optional(),
          },
          { error: object },
        ),
        { error: list },
      )
      .max(100),
  },
  { error: object },
);

/** A whole product (issue 15, item 8). What a line does not say stays as it is. */
export const ProductLine = z.strictObject({
  kind: z.literal('product'),
  slug: P.slug,
  title: P.title,
  type: P.type,
  status: P.status,
  description_html: P.descriptionHtml,
  short_description: P.shortDescription,
  brand: P.brand,
  is_discountable: P.isDiscountable,
  is_taxable: P.isTaxable,
  /** Code of its tax class; null: standard. */
  tax_class: text({ min: 1, max: 30 }).nullable().optional(),
  min_quantity: P.minQuantity,
  max_quantity: P.maxQuantity,
  publish_at: P.publishAt,
  seo,
  tags: P.tags,
  /** Slugs of categories, and of collections that are filled by hand. */
  categories: optional(z.array(slugField(), { error: list }).max(100)),
  collections: optional(z.array(slugField(), { error: list }).max(100)),
  options: optional(z.array(OptionLine, { error: list }).max(3)),
  variants: optional(z.array(VariantLine, { error: list }).max(250)),
  pictures: optional(z.array(PictureLine, { error: list }).max(100)),
});
export type ProductLine = z.output<typeof ProductLine>;

/** A category: those above it come before it. */
export const CategoryLine = z.strictObject({
  kind: z.literal('category'),
  slug: slugField(),
  name: C.name,
  /** Slug of the category above it; null at the top. */
  parent: slugField().nullable().optional(),
  position: C.position,
  description: C.description,
  picture: NamedPicture.nullable().optional(),
  seo,
});
export type CategoryLine = z.output<typeof CategoryLine>;

/** A collection; of a rule that names a category the value is its slug. */
export const CollectionLine = z.strictObject({
  kind: z.literal('collection'),
  slug: slugField(),
  title: L.title,
  filled: L.kind,
  rules: L.rules,
  match: L.match,
  sort: L.sort,
  description: L.description,
  picture: NamedPicture.nullable().optional(),
  seo,
});
export type CollectionLine = z.output<typeof CollectionLine>;

/** What is shown beside a product, in its order: behind the lines of all products, so that each can name any other. */
export const RelationsLine = z.strictObject({
  kind: z.literal('relations'),
  slug: slugField(),
  items: z
    .array(z.strictObject({ slug: slugField(), as: oneOf(RELATION_KINDS) }, { error: object }), {
      error: list,
    })
    .max(MOST_RELATED),
});
export type RelationsLine = z.output<typeof RelationsLine>;

/** Products of one line of an order: a line stays short however many there are. */
export const MOST_ORDERED = 500;

/** Products of a category or of a collection that is filled by hand, in the order that staff gave them. */
export const OrderLine = z.strictObject({
  kind: z.literal('order'),
  of: oneOf(['category', 'collection']),
  slug: slugField(),
  /** Place of the first of them, from 0: an order of many products has several lines. */
  from: optional(integer(0, MOST_PLACED)),
  products: z.array(slugField(), { error: list }).max(MOST_ORDERED),
});
export type OrderLine = z.output<typeof OrderLine>;

/** One line of a file of products, by its `kind`. */
export type Line = ProductLine | CategoryLine | CollectionLine | RelationsLine | OrderLine;
export const lineSchemas = {
  product: ProductLine,
  category: CategoryLine,
  collection: CollectionLine,
  relations: RelationsLine,
  order: OrderLine,
} as const;
export type Kind = keyof typeof lineSchemas;
export const KINDS = Object.keys(lineSchemas) as Kind[];
