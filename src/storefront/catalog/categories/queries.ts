import type { Ctx } from '#kernel/context.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
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

/** The category of a slug; null when there is none. */
export async function categoryOfSlug({ db }: Ctx, slug: string): Promise<Category | null> {
  const row: object | undefined = await db.knex(categoryRecord.table).where({ slug }).first();
  return row ? categoryRecord.read(row) : null;
}

/** What a category is under, from the top down, without itself. */
export async function above({ db }: Ctx, { path }: Category): Promise<Category[]> {
  const slugs = path.split('/').slice(1, -2);
  if (slugs.length === 0) return [];
  const rows: object[] = await db.knex(categoryRecord.table).whereIn('slug', slugs);
  return rows.map(categoryRecord.read).sort((one, other) => one.path.length - other.path.length);
}

/** What is directly under a category, in its order. */
export async function under({ db }: Ctx, { id }: Category): Promise<Category[]> {
  const rows: object[] = await db
    .knex(categoryRecord.table)
    .where({ parent_id: id })
    .orderBy(['position', 'id']);
  return rows.map(categoryRecord.read);
}
