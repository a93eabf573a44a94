import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { mediaByIds } from '#platform/media/index.ts';
import { ImageView, imageOfMedia } from '#storefront/contract/picture.ts';
import type { OptionValue } from './record.ts';
import type { OptionOf } from './whole.ts';

export const OptionValueShown = {
  id: z.string(),
  value: z.string(),
  swatch_hex: z.string().nullable(),
  media_id: z.string().nullable(),
  /** Its picture, once that has been rendered. */
  image: ImageView.nullable(),
};

/** A value of an option as staff see it. */
export const OptionValueView = z
  .object({ ...OptionValueShown, position: count() })
  .meta({ id: 'ProductOptionValue' });

/** An option as staff see it. */
export const OptionView = later(() =>
  z
    .object({ id: z.string(), name: z.string(), position: count(), values: z.array(OptionValueView) })
    .meta({ id: 'ProductOption' }),
);

export const optionValueView = ({
  id,
  value,
  swatchHex,
  media,
  position,
}: OptionOf['values'][number]): z.output<typeof OptionValueView> => ({
  id,
  value,
  swatch_hex: swatchHex,
  media_id: media?.id ?? null,
  image: media && imageOfMedia(media, media.alt),
  position,
});

export const optionView = ({ id, name, position, values }: OptionOf): z.output<typeof OptionView> => ({
  id,
  name,
  position,
  values: values.map(optionValueView),
});

/** Option values as staff see them: one question for the pictures of all of them. */
export async function valuesShown(
  rows: readonly OptionValue[],
  ctx: Ctx,
): Promise<z.output<typeof OptionValueView>[]> {
  const pictures = await mediaByIds(
    ctx,
    rows.flatMap(({ mediaId }) => mediaId ?? []),
  );
  return rows.map(({ mediaId, ...value }) =>
    optionValueView({ ...value, media: mediaId === null ? null : (pictures.get(mediaId) ?? null) }),
  );
}
