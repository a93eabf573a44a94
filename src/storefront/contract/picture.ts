import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import type { Media } from '#platform/media/index.ts';

/** Where the files of pictures are served, one below the other: digest of the original, name of the variant. */
export const MEDIA_PATH = '/api/shop/media';

const Variant = z.object({ url: z.string(), width: count(), height: count() });

/** A picture as pages show it; its variants are null until they are made. */
export const PictureShown = {
  url: z.string().nullable(),
  width: count(),
  height: count(),
  alt: z.string().nullable(),
  variants: z.object({ thumbnail: Variant, medium: Variant, large: Variant }).nullable(),
  blur: z.string().nullable(),
  focal_x: count(),
  focal_y: count(),
};

type Shown = z.output<z.ZodObject<typeof PictureShown>>;

/** Addresses that hold for ever: other bytes have another one. */
export function pictureOf(media: Media): Shown {
  const { sha256, variants } = media;
  const one = (name: 'thumbnail' | 'medium' | 'large') => {
    const { width, height, version } = (variants as NonNullable<typeof variants>)[name];
    return { url: `${MEDIA_PATH}/${sha256}/${name}?v=${version}`, width, height };
  };
  const made =
    variants === null ? null : { thumbnail: one('thumbnail'), medium: one('medium'), large: one('large') };
  return {
    url: made?.large.url ?? null,
    width: media.width,
    height: media.height,
    alt: media.alt,
    variants: made,
    blur: media.blurData,
    focal_x: media.focalX,
    focal_y: media.focalY,
  };
}

/** A picture in lists. */
export const ImageView = z
  .object({
    thumbnail: z.string(),
    alt: PictureShown.alt,
    variants: PictureShown.variants.unwrap(),
    blur: PictureShown.blur,
    focal_x: count(),
    focal_y: count(),
  })
  .meta({ id: 'ProductImage' });

/** One picture; null until it has been rendered. @param alt its words here */
export function imageOfMedia(media: Media, alt: string | null): z.output<typeof ImageView> | null {
  const { variants, blur, focal_x, focal_y } = pictureOf(media);
  if (variants === null) return null;
  return { thumbnail: variants.thumbnail.url, alt, variants, blur, focal_x, focal_y };
}
