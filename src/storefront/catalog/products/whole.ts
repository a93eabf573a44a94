import type { Media } from '#platform/media/index.ts';
import type { PriceTier } from '#storefront/contract/unit-price.ts';
import type { Level } from '../inventory/index.ts';
import type { Product, Variant } from './record.ts';

/** What an option may be. */
export interface ValueOf {
  readonly id: string;
  readonly value: string;
  readonly swatchHex: string | null;
  readonly media: Media | null;
  readonly position: number;
}

/** An option with its values, in their order. */
export interface OptionOf {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly values: ValueOf[];
}

/** The value that a variant has of an option. */
export interface Chosen {
  readonly optionId: string;
  readonly option: string;
  readonly valueId: string;
  readonly value: string;
}

/** A picture as a product shows it. */
export interface PictureOf {
  readonly media: Media;
  /** The product's own words, or the picture's. */
  readonly alt: string | null;
  /** null: it is of all variants. */
  readonly variantId: string | null;
}

/** A category that a product stands in, or a collection that it was put into. */
export interface PlaceOf {
  readonly kind: 'category' | 'collection';
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

/** What a variant costs from a quantity on, for everybody. */
export type TierOf = PriceTier & { readonly variantId: string };

/** What is in stock of a variant. */
export interface StockOf {
  readonly level: Level;
  /** At or below so many it is low, where it has no threshold of its own. */
  readonly standing: number;
}

/**
 * A variant with what it has of each option, in the order of the options, the first picture that is its own, and its stock
 * as it was when it was read.
 */
export type VariantOf = Variant & {
  readonly chosen: readonly Chosen[];
  readonly mediaId: string | null;
  /** Public quantity breaks, the smallest quantity first. */
  readonly tiers: readonly PriceTier[];
  readonly stock: StockOf | null;
};

/** A product with everything that is part of it. */
export interface Whole {
  readonly product: Product;
  readonly options: readonly OptionOf[];
  /** Without removed ones, by position. */
  readonly variants: readonly VariantOf[];
  readonly tags: readonly string[];
  /** In their order. */
  readonly pictures: readonly PictureOf[];
  /** By name. */
  readonly places: readonly PlaceOf[];
}

/** An option, one of its values and one variant that has it; null where there is none. */
export interface OptionRow {
  product_id: string;
  id: string;
  name: string;
  position: number;
  value_id: string | null;
  value: string;
  swatch_hex: string | null;
  media_id: string | null;
  value_position: number;
  variant_id: string | null;
}

/** Puts a product together. @param optionRows ordered by option, then by value */
export function assemble(
  product: Product,
  variants: readonly Variant[],
  optionRows: readonly OptionRow[],
  tags: readonly string[],
  pictures: readonly PictureOf[],
  places: readonly PlaceOf[],
  tiers: readonly TierOf[],
  swatches: ReadonlyMap<string, Media>,
  stock: (variantId: string) => StockOf | null,
): Whole {
  const options = new Map<string, OptionOf>();
  const chosen = new Map<string, Chosen[]>();
  for (const row of optionRows) {
    const option = options.get(row.id) ?? {
      id: row.id,
      name: row.name,
      position: Number(row.position),
      values: [],
    };
    options.set(row.id, option);
    if (row.value_id === null) continue;
    if (option.values.at(-1)?.id !== row.value_id) option.values.push(valueIn(row, row.value_id, swatches));
    if (row.variant_id === null) continue;
    const own = chosen.get(row.variant_id) ?? [];
    own.push({ optionId: row.id, option: row.name, valueId: row.value_id, value: row.value });
    chosen.set(row.variant_id, own);
  }
  return {
    product,
    options: [...options.values()],
    variants: variants.map((variant) => ({
      ...variant,
      chosen: chosen.get(variant.id) ?? [],
      stock: stock(variant.id),
      mediaId: pictures.find(({ variantId }) => variantId === variant.id)?.media.id ?? null,
      tiers: tiers.filter(({ variantId }) => variantId === variant.id),
    })),
    tags,
    pictures,
    places,
  };
}

const valueIn = (
  { value, swatch_hex, media_id, value_position }: OptionRow,
  id: string,
  swatches: ReadonlyMap<string, Media>,
): ValueOf => ({
  id,
  value,
  swatchHex: swatch_hex,
  media: media_id === null ? null : (swatches.get(media_id) ?? null),
  position: Number(value_position),
});

const ONLY = 'Default';

/** How a variant is called: `Red / M`. */
export const titleOf = (chosen: readonly Pick<Chosen, 'value'>[]): string =>
  chosen.map(({ value }) => value).join(' / ') || ONLY;

/** What no two variants of a product share. */
export const optionKeyOf = (chosen: readonly Pick<Chosen, 'valueId'>[]): string =>
  chosen
    .map(({ valueId }) => valueId)
    .toSorted()
    .join('+');
