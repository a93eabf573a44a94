import type { Ctx } from '#kernel/context.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
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
    parentId: filter.lookup({ label: 'Under', column: 'parent_id', resource: 'shop-categories' }),
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

/** Every category, by its place. */
export const listAll = async ({ db }: Ctx): Promise<Category[]> =>
  (await everything.all(db, {})).map(categoryRecord.read);

/** Every product with its categories, in their order. */
export const listLinks = async ({ db }: Ctx): Promise<{ categoryId: string; productId: string }[]> =>
  (await everyLink.all(db, {})).map((row) => ({ categoryId: row.category_id, productId: row.product_id }));
