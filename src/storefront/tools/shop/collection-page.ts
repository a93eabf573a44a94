import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { page, show } from '#kernel/http/page.ts';
import { type Collection, listAnnounced, shownCollection } from '#storefront/catalog/collections/index.ts';
import { keptPage } from './frame.ts';
import { LangQuery } from './home-page.ts';
import { pictureOf } from './images.ts';
import { listShown as productsShown } from './list-page.ts';
import { ListQuery } from './list-query.ts';
import { type Crumb, seoOf, trailOf } from './seo.ts';
import { languageHead, wordsOf } from './words.ts';

const ALL = '/shop/collections';

export const collectionHref = ({ slug }: Pick<Collection, 'slug'>): string => `${ALL}/${slug}`;

/** The products of a collection. */
export const collectionPage = page({
  ...keptPage,
  path: '/shop/collections/{slug}',
  title: 'Collection',
  joinsRepeated: true,
  params: z.object({ slug: text({ min: 1, max: 255 }) }),
  query: ListQuery,
  async show(ctx, { params, query, visitor }) {
    const found = await shownCollection(ctx, params.slug);
    if (!found) throw new AppError('NOT_FOUND', 404, `collection ${params.slug} does not exist`);
    const { collection, productIds } = found;
    const { t } = await wordsOf(ctx, visitor, query.lang);
    const kind = {
      path: collectionHref(collection),
      title: () => collection.seoTitle ?? collection.title,
      isIndexed: true,
      above: [{ label: t('collections.title'), href: ALL }],
      text: collection.description,
      picture: pictureOf(collection, 0),
      description: collection.seoDescription ?? collection.description,
      within: productIds,
      sort: collection.sort === 'manual' ? ('relevance' as const) : collection.sort,
    };
    return productsShown(ctx, kind, query, visitor);
  },
});

/** All collections. */
export const collectionsPage = page({
  ...keptPage,
  path: ALL,
  title: 'Collections',
  query: LangQuery,
  async show(ctx, { query, visitor }) {
    const words = await wordsOf(ctx, visitor, query.lang);
    const title = words.t('collections.title');
    const crumbs: Crumb[] = [
      { label: words.t('nav.home'), href: '/shop/' },
      { label: title, href: ALL },
    ];
    const seo = seoOf(ctx, {
      path: ALL,
      lang: query.lang,
      description: title,
      ld: [trailOf(ctx, crumbs)],
    });
    const collections = (await listAnnounced(ctx)).map(({ title, description, slug, media }, at) => ({
      title,
      description,
      href: collectionHref({ slug }),
      image: pictureOf({ media }, at),
    }));
    const data = { ...words, title, seo, crumbs, collections };
    return show('shop/collections', data, { head: languageHead(query.lang) });
  },
});
