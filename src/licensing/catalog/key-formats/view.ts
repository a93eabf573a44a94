import { z } from 'zod';
import { shownBy, storedView } from '#kernel/service/view.ts';
import type { KeyFormat } from './format.ts';
import { previewOf } from './key-formats.ts';
import { keyFormatRecord, type StoredKeyFormat } from './record.ts';

const Rules = storedView(keyFormatRecord, ['prefix', 'segments', 'segmentLength', 'alphabet', 'checksum']);
const samples = { samples: z.array(z.string()), entropyBits: z.int() };

/** How a format draws its keys, and five that it would draw; they belong to nobody. */
export const KeyFormatPreviewView = Rules.extend(samples).meta({ id: 'KeyFormatPreview' });

/** A key format with keys as it draws them. */
export const KeyFormatView = z
  .object({
    ...storedView(keyFormatRecord, ['id', 'name']).shape,
    ...Rules.shape,
    ...storedView(keyFormatRecord, ['createdAt', 'updatedAt']).shape,
    ...samples,
  })
  .meta({ id: 'KeyFormat' });
export type KeyFormatView = z.output<typeof KeyFormatView>;

export const keyFormatView = (format: StoredKeyFormat): KeyFormatView =>
  shownBy(KeyFormatView, { ...format, ...previewOf(format) });

export const previewView = (format: KeyFormat): z.output<typeof KeyFormatPreviewView> =>
  shownBy(KeyFormatPreviewView, { ...format, ...previewOf(format) });
