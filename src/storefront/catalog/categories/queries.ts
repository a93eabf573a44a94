import type { Ctx } from '#kernel/context.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Media, mediaByIds } from '#platform/media/index.ts';
import { productCategoryRecord } from '../products/index.ts';
import { type Category, categoryRecord } from './record.ts';

/** Categories of the shop: it belongs to one tenant (storefront-domain 13). */
export const categoryRows = selection<Category>({
  from: ({ db }) => db.knex(categoryRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: categoryRecord.read,
  filters: {
    parentId: filter.lookup({ label: 'Parent', column: 'parent_id', resource: 'shop-categories' }),
  },
  search: {
    placeholder: 'Name or slug',
    by: (query, text) => {
      query.where((any) => {
        for (const column of ['name', 'slug'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
      });
    },
  },
  sorts: { position: 'position', name: 'name' },
  initial: 'position',
});

const everything = statement<Record<never, never>>((q) =>
  q(categoryRecord.table).orderBy(['position', 'id']).select('*'),
);
const everyLink = statement<Record<never, never>, { category_id: string; product_id: string }>((q) =>
  q(productCategoryRecord.table)
    .orderBy(['category_id', 'position', 'product_id'])
    .select('category_id', 'product_id'),
);

/** A category with its picture. */
export type PicturedCategory = Category & { readonly media: Media | null };

/** Every category, by its place. */
export async function listAll(ctx: Ctx): Promise<PicturedCategory[]> {
  const all = (await everything.all(ctx.db, {})).map(categoryRecord.read);
  const pictures = await mediaByIds(
    ctx,
    all.flatMap(({ mediaId }) => mediaId ?? []),
  );
  return all.map((one) => ({
    ...one,
    media: one.mediaId === null ? null : (pictures.get(one.mediaId) ?? null),
  }));
}

/** Every product with its categories, in their order. */
export const listLinks = async ({ db }: Ctx): Promise<{ categoryId: string; productId: string }[]> =>
  (await everyLink.all(db, {})).map((row) => ({ categoryId: row.category_id, productId: row.product_id }));

/** The categories that some pictures show, by name. */
export async function categoriesShownBy({ db }: Ctx, mediaIds: readonly string[]): Promise<Category[]> {
  const rows: object[] = await db
    .knex(categoryRecord.table)
    .whereIn('media_id', [...mediaIds])
    .orderBy(['name', 'id']);
  return rows.map(categoryRecord.read);
}
