import type { Shape } from '../art/shapes.ts';

/** A product of the sample shop, from which its options, variants and pictures follow. */
export interface SampleProduct {
  readonly slug: string;
  readonly title: string;
  readonly brand: string;
  readonly type?: 'digital' | 'license' | 'gift_card';
  /** Types that cannot be sold stay drafts. */
  readonly status?: 'draft';
  /** Slugs of its categories, the closest first. */
  readonly in: readonly string[];
  readonly tags: readonly string[];
  /** Minor units. */
  readonly price: number;
  readonly was?: number;
  readonly grams?: number;
  readonly short: string;
  /** Paragraphs, and what it is made of or measures as points. */
  readonly text: readonly string[];
  readonly points: readonly string[];
  readonly shape: Shape;
  /** Names of its colors with what the picture is painted in; one without a name is no option. */
  readonly colors: Readonly<Record<string, string>>;
  readonly accent: string;
  /** A second option, with what each value costs more than the first. */
  readonly choice?: { readonly name: string; readonly values: Readonly<Record<string, number>> };
  /** What a unit costs less, in percent, from a quantity on. */
  readonly breaks?: Readonly<Record<number, number>>;
  /** Pieces of each variant; `low` and `out` show what the shop says then. */
  readonly stock?: number | 'low' | 'out';
}

/** The color of a thing that comes in one. */
export const ONLY = '';
export const sizes = { name: 'Size', values: { S: 0, M: 0, L: 0, XL: 200 } } as const;
