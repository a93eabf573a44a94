import type { Ctx } from '#kernel/context.ts';
import { containsPattern } from '#kernel/db/dialect.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { catalogChanged } from '../products/index.ts';
import { type ContentPage, contentPageRecord, pageRedirectRecord } from './record.ts';

const PAGES = contentPageRecord.table;
const REDIRECTS = pageRedirectRecord.table;

/** Slugs are decided one after the other; holds them until the transaction ends. */
export const lockSlugs = ({ db }: Ctx): Promise<void> => lockName(db, 'shop-page-slugs');

/** The page, locked until the end of the transaction; null when unknown. */
export async function lockPage({ db }: Ctx, id: string): Promise<ContentPage | null> {
  const row: object | undefined = await db.knex(PAGES).where({ id }).forUpdate().first();
  return row ? contentPageRecord.read(row) : null;
}

/** Throws a unique violation for a taken slug. The footer of every page lists pages, so all of them are made anew. */
export async function insertPage(ctx: Ctx, page: ContentPage): Promise<void> {
  await ctx.db.knex(PAGES).insert(contentPageRecord.write(page));
  await catalogChanged(ctx);
}

/** Throws as `insertPage` does. */
export async function updatePage(ctx: Ctx, page: ContentPage): Promise<void> {
  await ctx.db.knex(PAGES).where({ id: page.id }).update(contentPageRecord.write(page));
  await catalogChanged(ctx);
}

/** With what led to it. */
export async function deletePage(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(PAGES).where({ id }).delete();
  await catalogChanged(ctx);
}

/** Slugs of pages, and those that led to one before, that begin with a text. */
export async function slugsFrom({ db }: Ctx, start: string): Promise<Set<string>> {
  // A slug holds no wildcard.
  const pattern = containsPattern(start).slice(1);
  const slugs = async (table: string): Promise<string[]> => {
    const rows: { slug: string }[] = await db.knex(table).where('slug', 'like', pattern).select('slug');
    return rows.map(({ slug }) => slug);
  };
  return new Set([...(await slugs(PAGES)), ...(await slugs(REDIRECTS))]);
}

/** Leads an old slug to its page. */
export async function redirect({ db }: Ctx, slug: string, pageId: string, now: string): Promise<void> {
  await db.knex(REDIRECTS).insert(pageRedirectRecord.write({ slug, pageId, createdAt: now }));
}

/** A slug that a page takes leads nowhere else. */
export async function dropRedirect({ db }: Ctx, slug: string): Promise<void> {
  await db.knex(REDIRECTS).where({ slug }).delete();
}
