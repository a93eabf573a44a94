import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { page } from '#kernel/http/page.ts';
import { type Category, shownCategory } from '#storefront/catalog/categories/index.ts';
import { keptPage } from './frame.ts';
import { pictureOf } from './images.ts';
import { listShown } from './list-page.ts';
import { ListQuery } from './list-query.ts';

export const categoryHref = ({ slug }: Pick<Category, 'slug'>): string => `/shop/categories/${slug}`;

/** A category on the way to a page. */
export const crumbOf = (category: Pick<Category, 'name' | 'slug'>) => ({
  label: category.name,
  href: categoryHref(category),
});

/** The products of a category and of all that is under it. */
export const categoryPage = page({
  ...keptPage,
  path: '/shop/categories/{slug}',
  title: 'Category',
  joinsRepeated: true,
  params: z.object({ slug: text({ min: 1, max: 255 }) }),
  query: ListQuery,
  async show(ctx, { params, query, visitor }) {
    const found = await shownCategory(ctx, params.slug);
    if (!found) throw new AppError('NOT_FOUND', 404, `category ${params.slug} does not exist`);
    const { category, breadcrumbs, children, productIds } = found;
    const kind = {
      path: categoryHref(category),
      title: () => category.seoTitle ?? category.name,
      isIndexed: true,
      above: breadcrumbs.map(crumbOf),
      below: children.map((one, at) => ({ ...crumbOf(one), image: pictureOf(one, at) })),
      text: category.description,
      picture: pictureOf(category, 0),
      description: category.seoDescription ?? category.description,
      within: productIds,
      sort: 'relevance' as const,
    };
    return listShown(ctx, kind, query, visitor);
  },
});
