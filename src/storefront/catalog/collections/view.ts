import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ImageView, imageOfMedia } from '#storefront/contract/picture.ts';
import type { PicturedCollection } from './queries.ts';
import { COLLECTION_KINDS, COLLECTION_SORTS, type Collection, MATCHES } from './record.ts';
import { RULE_FIELDS, RULE_OPS } from './rules.ts';

const Shown = {
  id: z.string(),
  title: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  sort: z.enum(COLLECTION_SORTS),
  seo: z.object({ title: z.string().nullable(), description: z.string().nullable() }),
};

/** A collection as the shop shows it. */
export const CollectionView = z.object({ ...Shown, image: ImageView.nullable() }).meta({ id: 'Collection' });

const shown = ({ id, title, slug, description, sort, seoTitle, seoDescription }: Collection) => ({
  id,
  title,
  slug,
  description,
  sort,
  seo: { title: seoTitle, description: seoDescription },
});

export const collectionView = (collection: PicturedCollection): z.output<typeof CollectionView> => ({
  ...shown(collection),
  image: collection.media && imageOfMedia(collection.media, collection.media.alt),
});

/** A collection as staff see it. */
export const StoreCollectionView = later(() =>
  z
    .object({
      ...Shown,
      kind: z.enum(COLLECTION_KINDS),
      rules: z.array(z.object({ field: z.enum(RULE_FIELDS), op: z.enum(RULE_OPS), value: z.string() })),
      match: z.enum(MATCHES),
      media_id: z.string().nullable(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'StoreCollection' }),
);

export const storeCollectionView = (collection: Collection): z.output<typeof StoreCollectionView> => ({
  ...shown(collection),
  kind: collection.kind,
  rules: collection.rules.map((rule) => ({ ...rule })),
  match: collection.match,
  media_id: collection.mediaId,
  created_at: collection.createdAt,
  updated_at: collection.updatedAt,
});
