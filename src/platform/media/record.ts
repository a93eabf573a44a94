import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';
import { later } from '#kernel/sharing.ts';

const ids = defineIds({ media: 'med' });
export const newMediaId = ids.media;

export const MEDIA_STATUSES = ['processing', 'ready', 'failed'] as const;
export const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/svg+xml'] as const;

const variant = later(() =>
  z.object({
    /** Where it is stored. */
    key: z.string(),
    width: z.int(),
    height: z.int(),
    bytes: z.int(),
    /** Begin of the SHA-256 of its bytes: another one has another address. */
    version: z.string(),
  }),
);
const variants = z.object({ thumbnail: variant, medium: variant, large: variant });

/** A picture that somebody uploaded, with what was made of it (storefront-domain 4.1). */
export const mediaRecord = record(
  'media',
  {
    id: column.id(ids.media),
    fileName: column.text(255, 1),
    mime: column.choice(MEDIA_TYPES),
    bytes: column.integer(1),
    width: column.integer(0),
    height: column.integer(0),
    /** Of the original, lower-case hex: the same file is kept once. */
    sha256: column.text(64, 64),
    storageKey: column.text(100),
    alt: column.text(500).nullable(),
    folder: column.text(100).nullable(),
    /** A tiny picture as data URI, for the time until the real one has come. */
    blurData: column.text(4000).nullable(),
    variants: column.json(() => variants).nullable(),
    /** Percent from the left and the top that must stay in sight when a picture is cropped. */
    focalX: column.integer(0, 100),
    focalY: column.integer(0, 100),
    /** Of the variants; null: the setting's. */
    quality: column.integer(1, 100).nullable(),
    status: column.choice(MEDIA_STATUSES),
    /** Rises with every change. */
    version: column.integer(1),
    /** Why nothing could be made of it, for whoever uploaded it. */
    failure: column.text(500).nullable(),
    uploadedBy: column.text(30).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['sha256'] },
);
export type Media = ValuesOf<typeof mediaRecord>;
export type MediaVariants = z.output<typeof variants>;
