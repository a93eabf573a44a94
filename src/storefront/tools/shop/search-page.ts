import { page } from '#kernel/http/page.ts';
import { correctionsOf, searchLimit } from '#storefront/catalog/search/index.ts';
import { shopPage } from './frame.ts';
import { type Kind, listShown } from './list-page.ts';
import { hrefOf, ListQuery } from './list-query.ts';
import { searchHelp } from './search-help.ts';

const PATH = '/shop/search';

const hits: Kind = {
  path: PATH,
  title: ({ t }, { q = '' }) => (q.trim() === '' ? t('search.title') : t('search.results', { q: q.trim() })),
  isIndexed: false,
  meant: (ctx, q, list) => (q.trim() === '' ? Promise.resolve([]) : correctionsOf(ctx, q, list)),
  help: (ctx, { asked: { q = '', lang }, list, meant }) =>
    searchHelp(ctx, { q, list, meant }, (other) =>
      hrefOf({ path: PATH, q: other, lang, sort: undefined }, []),
    ),
};

export const searchPage = page({
  ...shopPage,
  path: PATH,
  title: 'Search',
  joinsRepeated: true,
  query: ListQuery,
  limit: { show: searchLimit },
  show: (ctx, { query, visitor }) => listShown(ctx, hits, query, visitor),
});
