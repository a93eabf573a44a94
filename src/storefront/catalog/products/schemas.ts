import { z } from 'zod';
import { flag, integer, oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import { slugField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { stockShape } from '../inventory/index.ts';
import { MOST_CENTS, MOST_QUANTITY, PRODUCT_STATUSES, PRODUCT_TYPES, RELATION_KINDS } from './record.ts';

export const MOST_OPTIONS = 3;
export const MOST_VALUES = 100;
export const MOST_VARIANTS = 250;
const MOST_TAGS = 50;
export const MOST_RELATED = 50;
const MOST_PICTURES = 100;
const MOST_PLACES = 100;

const listError = ({ input }: { input?: unknown }) =>
  input === undefined ? 'is required' : 'must be a list';

/** A text of which surrounding white space is no part. */
const words = (max: number) => text({ min: 1, max, trim: true });
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().optional();
const cents = () => integer(0, MOST_CENTS);
const measure = () => integer(0, 1_000_000_000);
const position = () => integer(0, 10_000);
const mediaId = () => text({ min: 1, max: 30 });
const swatch = () =>
  text({ max: 7, form: { pattern: /^#[0-9a-fA-F]{6}$/, says: 'a color such as #1f2937' } });

const variantShape = {
  sku: words(100),
  priceCents: cents(),
  compareAtCents: orNull(cents()),
  costCents: orNull(cents()),
  barcode: orNull(words(100)),
  weightG: optional(measure()),
  lengthMm: optional(measure()),
  widthMm: optional(measure()),
  heightMm: optional(measure()),
  requiresShipping: optional(flag()),
  shippingClassId: orNull(text({ min: 1, max: 30 })),
  isDefault: optional(flag()),
  position: optional(position()),
  /** `{"Color": "Red"}`: names of options and of their values. */
  optionValues: optional(
    z
      .record(words(50), words(100), { error: 'must be an object of texts' })
      .meta({ maxProperties: MOST_OPTIONS }),
  ),
};
/** What is in stock of it at first is part of what makes it, and changed by its own operations afterwards. */
export const VariantCreate = z.strictObject({ ...variantShape, ...stockShape });
export type VariantCreateInput = z.output<typeof VariantCreate>;

export const VariantUpdate = later(() =>
  z.strictObject({
    ...variantShape,
    sku: optional(variantShape.sku),
    priceCents: optional(variantShape.priceCents),
  }),
);
export type VariantUpdateInput = z.output<typeof VariantUpdate>;

const values = () => z.array(words(100), { error: 'must be a list of texts' }).max(MOST_VALUES);

export const OptionCreate = later(() =>
  z.strictObject({
    name: words(50),
    values: optional(values()),
    position: optional(position()),
  }),
);
export type OptionCreateInput = z.output<typeof OptionCreate>;

export const OptionUpdate = later(() =>
  z.strictObject({ name: optional(words(50)), position: optional(position()) }),
);
export type OptionUpdateInput = z.output<typeof OptionUpdate>;

export const ValueCreate = later(() =>
  z.strictObject({
    value: words(100),
    swatchHex: orNull(swatch()),
    /** A picture of the library. */
    mediaId: orNull(mediaId()),
    position: optional(position()),
  }),
);
export type ValueCreateInput = z.output<typeof ValueCreate>;

export const ValueUpdate = later(() => z.strictObject({ ...ValueCreate.shape, value: optional(words(100)) }));
export type ValueUpdateInput = z.output<typeof ValueUpdate>;

const mediaIds = () => z.array(mediaId(), { error: listError }).max(MOST_PICTURES);

const places = () => z.array(mediaId(), { error: listError }).max(MOST_PLACES);

const productShape = {
  title: words(255),
  slug: optional(slugField()),
  type: oneOf(PRODUCT_TYPES),
  status: optional(oneOf(PRODUCT_STATUSES)),
  descriptionHtml: orNull(text({ max: 100_000 })),
  shortDescription: orNull(text({ max: 1000 })),
  brand: orNull(words(100)),
  isDiscountable: optional(flag()),
  isTaxable: optional(flag()),
  /** null: the class standard. */
  taxClassId: orNull(text({ min: 1, max: 30 })),
  minQuantity: optional(integer(1, MOST_QUANTITY)),
  maxQuantity: orNull(integer(1, MOST_QUANTITY)),
  publishAt: orNull(timestamp()),
  seoTitle: orNull(text({ max: 255 })),
  seoDescription: orNull(text({ max: 500 })),
  /** Pictures of the library in their order, in place of those that it shows. */
  mediaIds: optional(mediaIds()),
  /** Categories, and collections filled by hand, in place of those that it stands in. */
  categoryIds: optional(places()),
  collectionIds: optional(places()),
  tags: optional(z.array(words(50), { error: 'must be a list of texts' }).max(MOST_TAGS)),
};

/** Input that creates a product, with its options and variants (Z11). */
export const ProductCreate = later(() =>
  z.strictObject({
    ...productShape,
    options: optional(z.array(OptionCreate, { error: 'must be a list' }).max(MOST_OPTIONS)),
    variants: optional(z.array(VariantCreate, { error: 'must be a list' }).max(MOST_VARIANTS)),
  }),
);
export type ProductCreateInput = z.output<typeof ProductCreate>;

/** Input that changes a product: absent leaves a field, null clears one that may be empty. */
export const ProductUpdate = later(() =>
  z.strictObject({
    ...productShape,
    title: optional(productShape.title),
    type: optional(productShape.type),
  }),
);
export type ProductUpdateInput = z.output<typeof ProductUpdate>;

export const Publication = z.strictObject({ publishAt: productShape.publishAt });
/** What bulk runs take. */
export const TagName = z.strictObject({ tag: words(50) });
export const CategoryName = z.strictObject({ categoryId: text({ min: 1, max: 30 }) });
export const PercentChange = later(() =>
  z.strictObject({
    /** Negative is cheaper. */
    percent: text({
      max: 8,
      form: { pattern: /^[+-]?\d{1,4}(\.\d{1,2})?$/, says: 'a percentage such as -10 or 2.5' },
    }),
  }),
);
export const Copy = later(() => z.strictObject({ title: optional(words(255)) }));

/** How the variants of all combinations are made. `{Color}` in the pattern stands for the value of that option. */
export const Generation = later(() =>
  z.strictObject({
    skuPattern: optional(words(100)),
    priceCents: optional(cents()),
  }),
);
export type GenerationInput = z.output<typeof Generation>;

export const RelationList = later(() =>
  z.strictObject({
    items: z
      .array(z.strictObject({ productId: text({ min: 1, max: 30 }), kind: oneOf(RELATION_KINDS) }), {
        error: listError,
      })
      .max(MOST_RELATED),
  }),
);
export type RelationListInput = z.output<typeof RelationList>;

/** Pictures that a product shows after those that it has; `variantId`: they are of that variant alone. */
export const Attachment = later(() => z.strictObject({ mediaIds: mediaIds(), variantId: orNull(mediaId()) }));
export type AttachmentInput = z.output<typeof Attachment>;

/** Products of one category or collection. */
export const MOST_PLACED = 10_000;

export const PlacedProducts = later(() =>
  z.strictObject({
    productIds: z
      .array(text({ min: 1, max: 30 }), {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of product ids'),
      })
      .max(MOST_PLACED),
  }),
);
export type PlacedProductsInput = z.output<typeof PlacedProducts>;

/** What changes of the pictures of a product: absent leaves it, null clears it. */
export const Arrangement = later(() =>
  z.strictObject({
    items: z
      .array(
        z.strictObject({
          mediaId: mediaId(),
          position: optional(position()),
          alt: orNull(text({ max: 500 })),
          variantId: orNull(mediaId()),
        }),
        { error: listError },
      )
      .max(MOST_PICTURES),
  }),
);
export type ArrangementInput = z.output<typeof Arrangement>;
