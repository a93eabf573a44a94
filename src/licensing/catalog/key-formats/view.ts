import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { shownBy, storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import type { KeyFormat } from './format.ts';
import { previewOf } from './key-formats.ts';
import { usesOf } from './queries.ts';
import { keyFormatRecord, type StoredKeyFormat } from './record.ts';

const Rules = storedView(keyFormatRecord, ['prefix', 'segments', 'segmentLength', 'alphabet', 'checksum']);
const samples = { samples: z.array(z.string()), entropyBits: z.int() };

/** How a format draws its keys, and five that it would draw; they belong to nobody. */
export const KeyFormatPreviewView = later(() => Rules.extend(samples).meta({ id: 'KeyFormatPreview' }));

/** A key format with keys as it draws them. */
export const KeyFormatView = later(() =>
  z
    .object({
      ...storedView(keyFormatRecord, ['id', 'name']).shape,
      ...Rules.shape,
      /** Products that name it. */
      usedBy: count(),
      ...storedView(keyFormatRecord, ['createdAt', 'updatedAt']).shape,
      ...samples,
    })
    .meta({ id: 'KeyFormat' }),
);
export type KeyFormatView = z.output<typeof KeyFormatView>;

/** Key formats with how many products name each. */
export async function keyFormatViews(
  formats: readonly StoredKeyFormat[],
  ctx: Ctx,
): Promise<KeyFormatView[]> {
  const uses = await usesOf(
    ctx,
    formats.map(({ id }) => id),
  );
  return formats.map((format) =>
    shownBy(KeyFormatView, { ...format, ...previewOf(format), usedBy: uses(format.id) }),
  );
}

export const previewView = (format: KeyFormat): z.output<typeof KeyFormatPreviewView> =>
  shownBy(KeyFormatPreviewView, { ...format, ...previewOf(format) });
