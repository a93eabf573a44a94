import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { type ImageView, imageOfMedia, PictureShown, pictureOf } from '#storefront/contract/picture.ts';
import type { PictureOf } from './whole.ts';

/** A picture of a product: as the library shows it, with what the product says of it. */
export const ProductMediaView = later(() =>
  z
    .object({
      media_id: z.string(),
      /** It is of this variant alone; null: of all of them. */
      variant_id: z.string().nullable(),
      position: count(),
      ...PictureShown,
    })
    .meta({ id: 'ProductMedia' }),
);
export type ProductMediaShown = z.output<typeof ProductMediaView>;

export const productMediaView = (
  { media, alt, variantId }: PictureOf,
  position: number,
): ProductMediaShown => ({
  media_id: media.id,
  variant_id: variantId,
  position,
  ...pictureOf(media),
  alt,
});

/** The first picture that has been rendered; null when there is none. */
export function imageOf(pictures: readonly PictureOf[]): z.output<typeof ImageView> | null {
  const first = pictures.find(({ media }) => media.variants !== null);
  if (!first) return null;
  return imageOfMedia(first.media, first.alt);
}
