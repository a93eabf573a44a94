import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { movedTo, page, show } from '#kernel/http/page.ts';
import { type ContentPage, shownPage } from '#storefront/catalog/content/index.ts';
import { excerptOf } from './excerpt.ts';
import { keptPage } from './frame.ts';
import { LangQuery } from './home-page.ts';
import { type Crumb, type Seo, seoOf, trailOf } from './seo.ts';
import { languageHead, wordsOf } from './words.ts';

export const contentHref = ({ slug }: Pick<ContentPage, 'slug'>): string => `/shop/pages/${slug}`;

function seoOfPage(ctx: Ctx, one: ContentPage, lang: string | undefined, crumbs: readonly Crumb[]): Seo {
  const path = contentHref(one);
  const description = one.seoDescription ?? excerptOf(one.bodyHtml) ?? one.title;
  const ld = {
    '@type': 'WebPage',
    name: one.title,
    description,
    url: new URL(path, ctx.baseUrl).href,
    datePublished: one.createdAt,
    dateModified: one.updatedAt,
  };
  const index = one.status === 'published';
  return seoOf(ctx, {
    path,
    lang,
    description,
    index,
    type: 'article',
    ld: [ld, trailOf(ctx, crumbs)],
  });
}

/** What staff wrote, such as the terms of the shop. Staff read drafts here before anybody else does. */
export const contentPage = page({
  ...keptPage,
  path: '/shop/pages/{slug}',
  title: 'Page',
  params: z.object({ slug: text({ min: 1, max: 255 }) }),
  query: LangQuery,
  async show(ctx, { params, query, visitor }) {
    const one = await shownPage(ctx, params.slug, {
      drafts: allows(visitor.actor, 'content:read'),
    });
    if (!one) throw new AppError('NOT_FOUND', 404, `page ${params.slug} does not exist`);
    if (one.slug !== params.slug) return movedTo(contentHref(one));
    const words = await wordsOf(ctx, visitor, query.lang);
    const crumbs: Crumb[] = [
      { label: words.t('nav.home'), href: '/shop/' },
      { label: one.title, href: contentHref(one) },
    ];
    const data = {
      ...words,
      title: one.seoTitle ?? one.title,
      name: one.title,
      html: one.bodyHtml,
      isDraft: one.status === 'draft',
      crumbs,
      seo: seoOfPage(ctx, one, query.lang, crumbs),
    };
    return show('shop/page', data, { head: languageHead(query.lang) });
  },
});
