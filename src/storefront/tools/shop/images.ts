import type { Media } from '#platform/media/index.ts';
import type { ProductCard, ShopProduct } from '#storefront/catalog/products/view.ts';
import { imageOfMedia } from '#storefront/contract/picture.ts';

type Image = Pick<NonNullable<ProductCard['image']>, 'alt' | 'variants' | 'focal_x' | 'focal_y'>;

/** Pictures of the first row are in sight when the page comes. */
const FIRST_ROW = 4;

/** A picture as a template writes it. */
export interface ImageShown {
  readonly src: string;
  /** The smallest one. */
  readonly thumb: string;
  readonly srcset: string;
  readonly width: number;
  readonly height: number;
  readonly alt: string;
  /** Classes that keep its focal point in sight when it is cropped. */
  readonly focus: string;
  readonly isEager: boolean;
  /** The one that people see first. */
  readonly isFirst: boolean;
}

/** A third of the way is the middle: classes stand for styles, which the content policy forbids. */
const edge = (axis: 'x' | 'y', percent: number): string =>
  percent < 34 ? ` ${axis}0` : percent > 66 ? ` ${axis}100` : '';

/** @param at its place among the pictures of the page */
export function imageShown({ alt, variants, focal_x, focal_y }: Image, at: number): ImageShown {
  const { thumbnail, medium, large } = variants;
  // A small original has the same size in each: it is offered once.
  const sizes = [thumbnail, medium, large].filter(
    ({ width }, index, all) => all.findIndex((one) => one.width === width) === index,
  );
  return {
    src: medium.url,
    thumb: thumbnail.url,
    srcset: sizes.map(({ url, width }) => `${url} ${width}w`).join(', '),
    width: medium.width,
    height: medium.height,
    alt: alt ?? '',
    focus: edge('x', focal_x) + edge('y', focal_y),
    isEager: at < FIRST_ROW,
    isFirst: at === 0,
  };
}

/** The picture of a category or of a collection. @param at its place among the pictures of the page */
export function pictureOf({ media }: { readonly media: Media | null }, at: number): ImageShown | null {
  const image = media && imageOfMedia(media, media.alt);
  return image && imageShown(image, at);
}

/** The pictures of a product, those of a variant first and those of other variants left out. */
export function galleryOf({ media, title }: ShopProduct, variantId: string | undefined) {
  const fitting = media.filter(({ variant_id: of }) => of === null || of === variantId);
  const own = fitting.filter(({ variant_id: of }) => of !== null);
  const common = fitting.filter(({ variant_id: of }) => of === null);
  const shown = fitting.length > 0 ? [...own, ...common] : media;
  return shown.flatMap(({ variants, ...one }, at) =>
    variants === null
      ? []
      : [{ ...imageShown({ ...one, alt: one.alt ?? title, variants }, at), large: variants.large }],
  );
}
