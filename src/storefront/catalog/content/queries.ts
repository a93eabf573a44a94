import type { Ctx } from '#kernel/context.ts';
import { filter, matching } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { type ContentPage, contentPageRecord, PAGE_STATUSES, pageRedirectRecord } from './record.ts';

const PAGES = contentPageRecord.table;

/** Pages of the shop: it belongs to one tenant (storefront-domain 13). */
export const pageRows = selection<ContentPage>({
  from: ({ db }) => db.knex(PAGES),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: contentPageRecord.read,
  filters: {
    status: filter.choice(PAGE_STATUSES, { label: 'Status', column: 'status' }),
  },
  search: {
    placeholder: 'Title or slug',
    by: (query, text) => {
      query.where((any) => {
        for (const column of ['title', 'slug'])
          any.orWhere((each) => matching(each, column, text, 'contains'));
      });
    },
  },
  sorts: { title: 'title', updated: 'updated_at' },
  initial: 'title',
});

/** What the shop lists of a page. */
export type ListedPage = Pick<ContentPage, 'id' | 'slug' | 'title' | 'updatedAt'>;

interface ListedRow {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly updated_at: string;
}

const published = statement<Record<never, never>, ListedRow>((q) =>
  q(PAGES)
    .where('status', q.raw("'published'"))
    .orderBy(['title', 'id'])
    .select('id', 'slug', 'title', 'updated_at'),
);
const ofSlug = statement<{ slug: string }, object>((q, p) => q(PAGES).where('slug', p('slug')).select('*'));
const movedTo = statement<{ slug: string }, object>((q, p) =>
  q({ r: pageRedirectRecord.table })
    .join({ p: PAGES }, 'p.id', 'r.page_id')
    .where('r.slug', p('slug'))
    .select('p.*'),
);

/** The pages that everybody may read, by their titles. */
export const listPublished = async ({ db }: Ctx): Promise<ListedPage[]> =>
  (await published.all(db, {})).map(({ updated_at: updatedAt, ...row }) => ({
    ...row,
    updatedAt,
  }));

/** A page by its slug or by one that it had before, whatever its status; null for neither. */
export async function findBySlug({ db }: Ctx, slug: string): Promise<ContentPage | null> {
  const row = (await ofSlug.first(db, { slug })) ?? (await movedTo.first(db, { slug }));
  return row ? contentPageRecord.read(row) : null;
}

/** Which of some slugs are those of pages that the shop shows. */
export async function shownSlugs({ db }: Ctx, slugs: readonly string[]): Promise<string[]> {
  const rows: { slug: string }[] = await db
    .knex(PAGES)
    .whereIn('slug', [...slugs])
    .where({ status: 'published' })
    .select('slug');
  return rows.map(({ slug }) => slug);
}
