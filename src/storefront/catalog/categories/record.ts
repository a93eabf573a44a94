import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { newMediaId } from '#platform/media/view.ts';
import { ids } from '#storefront/contract/ids.ts';

/** So many categories stand above each other at most: `/1/2/3/4/5/6/7/8/`. */
export const MOST_DEPTH = 8;
const SLUG = 63;

/** What the products of the shop are sorted into: a tree (storefront-domain 4.1). */
export const categoryRecord = record(
  'categories',
  {
    id: column.id(ids.category),
    /** null: it stands at the top. */
    parentId: column.id(ids.category).references('categories').nullable(),
    name: column.text(255, 1),
    slug: column.text(SLUG, 1),
    /** The slugs from the top down to its own: `/clothes/shirts/`. */
    path: column.text(MOST_DEPTH * (SLUG + 1) + 1, 3),
    /** Its place among those under the same category. */
    position: column.integer(0),
    description: column.text(5000).nullable(),
    /** Its picture. */
    mediaId: column.id(newMediaId).references('media').nullable(),
    seoTitle: column.text(255).nullable(),
    seoDescription: column.text(500).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['slug'] },
);
export type Category = ValuesOf<typeof categoryRecord>;
