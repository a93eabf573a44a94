import type { Ctx } from '#kernel/context.ts';
import { childrenOf } from '#storefront/catalog/categories/index.ts';
import { categoriesFor, type ProductList, pagesFor } from '#storefront/catalog/search/index.ts';

const MOST_CATEGORIES = 6;
const MOST_PAGES = 6;
const MOST_POPULAR = 8;

interface Link {
  readonly href: string;
  readonly label: string;
}

/** What is shown beside what a search finds. */
export interface SearchHelp {
  /** What may have been meant beside what is shown. */
  readonly meant: readonly Link[];
  readonly categories: readonly Link[];
  /** Those that staff wrote. */
  readonly pages: readonly Link[];
  /** Where else to look, when nothing was found. */
  readonly popular: readonly Link[];
}

const linkOf = ({ name, slug }: { name: string; slug: string }): Link => ({
  href: `/shop/categories/${slug}`,
  label: name,
});

interface Looked {
  readonly q: string;
  readonly list: ProductList;
  readonly meant: readonly string[];
}

/** @param hrefOf address of another search */
export async function searchHelp(
  ctx: Ctx,
  { q, list, meant }: Looked,
  hrefOf: (q: string) => string,
): Promise<SearchHelp> {
  if (q.trim() === '') return { meant: [], categories: [], pages: [], popular: [] };
  const categories = await categoriesFor(ctx, q, MOST_CATEGORIES);
  const pages = (await pagesFor(ctx, q)).slice(0, MOST_PAGES);
  const popular = list.total === 0 ? await childrenOf(ctx, null) : [];
  return {
    meant: meant.map((text) => ({ href: hrefOf(text), label: text })),
    categories: categories.map(linkOf),
    pages: pages.map(({ slug, title }) => ({ href: `/shop/pages/${slug}`, label: title })),
    popular: popular.slice(0, MOST_POPULAR).map(linkOf),
  };
}
