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
    path: { label: 'Path', kind: 'code' },
    position: {},
    description: { hidden: true },
    updatedAt: { label: 'Changed' },
  },
  facts: {
    path: { label: 'Path', kind: 'code' },
    slug: { label: 'Slug', kind: 'code', link: ({ slug }) => `/shop/categories/${slug}` },
    position: {},
    description: {},
    mediaId: {
      label: 'Picture',
      link: ({ mediaId }) => (mediaId === null ? null : `/store/media/${mediaId}`),
    },
    seoTitle: { label: 'Title for search engines', value: ({ seo }) => seo.title },
    seoDescription: { label: 'Description for search engines', value: ({ seo }) => seo.description },
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    parentId: 'Parent',
    slug: 'Slug',
    seoTitle: 'Title for search engines',
    seoDescription: 'Description for search engines',
  },
  values: ({ seo, ...category }) => ({ ...category, seoTitle: seo.title, seoDescription: seo.description }),
  fields: {
    name: { example: 'Kitchen' },
    parentId: { of: 'shop-categories', help: 'Leave empty for the top level.' },
    slug: { help: 'Leave empty to create it from the name.' },
    position: { help: 'Order within the parent category. Low numbers come first.' },
    description: { kind: 'textarea' },
    mediaId: { label: 'Picture', of: 'media', help: 'The ID of a picture in the library.' },
    seoDescription: { kind: 'textarea' },
  },
  tabs: { products: { label: 'Products', template: 'store/placed-products', load: categoryProducts.tab } },
  empty: {
    text: 'Shoppers browse categories. A product can be in any number of them.',
    docs: 'glossary',
    cli: null,
  },
});
