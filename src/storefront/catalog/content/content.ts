import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { cleanHtml } from '#platform/rich-text/index.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { freeSlug, slugOf } from '#storefront/contract/slug.ts';
import { contentEvents } from './events.ts';
import { htmlOf } from './markdown.ts';
import { pageRows } from './queries.ts';
import type { ContentPage } from './record.ts';
import * as repo from './repository.ts';
import { PageCreate, type PageCreateInput, PageUpdate, type PageUpdateInput } from './schemas.ts';

/** A page. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<ContentPage> =>
  (await pageRows.find(ctx, id)) ?? missing(id);

function missing(id: string): never {
  throw fail('NOT_FOUND', `page ${id} does not exist`);
}

type Body = Pick<ContentPage, 'bodyHtml' | 'bodyMarkdown'>;

/**
 * What is stored of a text: it was written in HTML or in Markdown, and is shown as HTML that was cleaned.
 *
 * @returns null where neither was sent
 * @throws AppError VALIDATION_ERROR for both
 */
async function bodyOf({
  bodyHtml: html,
  bodyMarkdown: markdown,
}: { [K in keyof Body]?: Body[K] | undefined }): Promise<Body | null> {
  // A form sends the empty one of its two fields too.
  if (html && markdown)
    throw fail('VALIDATION_ERROR', 'A page has one text: send body_html or body_markdown, not both');
  if (markdown) {
    return {
      bodyHtml: await cleanHtml(await htmlOf(markdown)),
      bodyMarkdown: markdown,
    };
  }
  if (html === undefined && markdown === undefined) return null;
  return { bodyHtml: await cleanHtml(html ?? ''), bodyMarkdown: null };
}

/**
 * Makes a page, a draft unless it says otherwise. A slug is made from the title when none is sent.
 *
 * @throws AppError VALIDATION_ERROR; VALIDATION_MISSING_FIELD without a text; CONFLICT, reason DUPLICATE, for a taken slug
 */
export async function create(ctx: Ctx, input: PageCreateInput): Promise<ContentPage> {
  const sent = checkInput(PageCreate, input);
  const body = await bodyOf(sent);
  if (!body)
    throw storeFail('VALIDATION_MISSING_FIELD', 'A page needs a text: send body_html or body_markdown');
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const page: ContentPage = {
      id: ctx.newId(ids.contentPage),
      slug: await slugFor(ctx, sent.title, sent.slug),
      title: sent.title,
      ...body,
      status: sent.status ?? 'draft',
      seoTitle: sent.seoTitle ?? null,
      seoDescription: sent.seoDescription ?? null,
      createdAt: now,
      updatedAt: now,
    };
    await storing(page.slug, () => repo.insertPage(ctx, page));
    await contentEvents.tell(ctx, 'page.created', page.id, toldOf(page), {
      after: page,
    });
    return page;
  });
}

/** The slug of a new page, free as long as the transaction runs. */
async function slugFor(ctx: Ctx, title: string, slug: string | undefined): Promise<string> {
  await repo.lockSlugs(ctx);
  if (slug !== undefined) {
    await repo.dropRedirect(ctx, slug);
    return slug;
  }
  const base = slugOf(title) || 'page';
  return freeSlug(base, (start) => repo.slugsFrom(ctx, start));
}

/**
 * Changes a page; what is not sent stays, null clears. A call that changes nothing writes nothing. An old slug leads to
 * the page until another one takes it.
 *
 * @throws AppError as `create` does; NOT_FOUND
 */
export async function change(ctx: Ctx, id: string, input: PageUpdateInput): Promise<ContentPage> {
  const sent = sentFields(checkInput(PageUpdate, input));
  const body = await bodyOf(sent);
  const { bodyHtml: _html, bodyMarkdown: _markdown, ...rest } = sent;
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockPage(ctx, id)) ?? missing(id);
    const wanted = { ...before, ...rest, ...body };
    if (Object.keys(changesBetween(before, wanted)).length === 0) return before;
    if (wanted.slug !== before.slug) await moveSlug(ctx, before, wanted.slug);
    const after = { ...wanted, updatedAt: ctx.now() };
    await storing(after.slug, () => repo.updatePage(ctx, after));
    await contentEvents.tell(ctx, 'page.updated', id, toldOf(after), {
      before,
      after,
    });
    return after;
  });
}

async function moveSlug(ctx: Ctx, { id, slug: old }: ContentPage, slug: string): Promise<void> {
  await repo.lockSlugs(ctx);
  await repo.dropRedirect(ctx, slug);
  await repo.redirect(ctx, old, id, ctx.now());
}

/** Removes a page with its text. @throws AppError NOT_FOUND */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockPage(ctx, id)) ?? missing(id);
    await repo.deletePage(ctx, id);
    await contentEvents.tell(ctx, 'page.deleted', id, toldOf(before), {
      before,
    });
  });
}

async function storing(slug: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `slug ${slug} is taken by another page; choose another one`;
    throw fail('CONFLICT', message, { details: { reason: 'DUPLICATE' } });
  }
}

const toldOf = ({ title, slug, status }: ContentPage) => ({
  title,
  slug,
  status,
});
