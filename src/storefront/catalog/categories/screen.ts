import { storeScreen } from '#platform/admin/index.ts';
import { categoryProducts } from './pages.ts';
import { StoreCategoryView } from './view.ts';

/** Categories in the panel. */
export const categoryScreen = storeScreen(StoreCategoryView, {
  path: '/store/categories',
  area: 'store',
  order: 30,
  title: ({ name }) => name,
  columns: {
    name: {},
    path: { label: 'Stands at', kind: 'code' },
    position: {},
    description: { hidden: true },
    updatedAt: { label: 'Changed' },
  },
  facts: {
    path: { label: 'Stands at', kind: 'code' },
    position: {},
    description: {},
    seoTitle: { label: 'Title for search engines', value: ({ seo }) => seo.title },
    seoDescription: { label: 'Description for search engines', value: ({ seo }) => seo.description },
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    parentId: 'Under',
    slug: 'Address in the shop',
    seoTitle: 'Title for search engines',
    seoDescription: 'Description for search engines',
  },
  values: ({ seo, ...category }) => ({ ...category, seoTitle: seo.title, seoDescription: seo.description }),
  fields: {
    name: { example: 'Kitchen' },
    parentId: { of: 'shop-categories', help: 'Empty: at the top.' },
    slug: { help: 'Empty: made from the name.' },
    position: { help: 'Among those under the same category: small numbers come first.' },
    description: { kind: 'textarea' },
    seoDescription: { kind: 'textarea' },
  },
  tabs: { products: { label: 'Products', template: 'store/placed-products', load: categoryProducts.tab } },
  empty: {
    text: 'Shoppers look through categories. Products stand in as many of them as you like.',
    docs: 'glossary',
    cli: null,
  },
});
