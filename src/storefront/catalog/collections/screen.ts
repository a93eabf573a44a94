import { storeScreen } from '#platform/admin/index.ts';
import { collectionProducts, rulesTab } from './pages.ts';
import { StoreCollectionView } from './view.ts';

const filledBy = ({ kind }: { readonly kind: 'manual' | 'rule' }): string =>
  kind === 'manual' ? 'by hand' : 'by rules';

/** Collections in the panel. */
export const collectionScreen = storeScreen(StoreCollectionView, {
  path: '/store/collections',
  area: 'store',
  order: 40,
  title: ({ title }) => title,
  columns: {
    title: {},
    slug: { label: 'Slug', kind: 'code' },
    kind: { label: 'Filled', value: filledBy },
    sort: { label: 'Order' },
    updatedAt: { label: 'Changed' },
  },
  facts: {
    slug: { label: 'Slug', kind: 'code', link: ({ slug }) => `/shop/collections/${slug}` },
    kind: { label: 'Filled', value: filledBy },
    sort: { label: 'Order' },
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
    slug: 'Slug',
    kind: 'Filled',
    sort: 'Order',
    seoTitle: 'Title for search engines',
    seoDescription: 'Description for search engines',
  },
  values: ({ seo, ...collection }) => ({
    ...collection,
    seoTitle: seo.title,
    seoDescription: seo.description,
  }),
  fields: {
    title: { example: 'Summer picks' },
    slug: { help: 'Leave empty to create it from the title.' },
    kind: {
      help: 'manual: you choose the products. rule: products join and leave by rules that you set next.',
    },
    sort: { help: 'The default order on its page. Manual: the order in which you arrange the products.' },
    description: { kind: 'textarea' },
    mediaId: { label: 'Picture', of: 'media', help: 'The ID of a picture in the library.' },
    seoDescription: { kind: 'textarea' },
    // Their own page tries them before they are saved.
    rules: { kind: 'hidden' },
    match: { kind: 'hidden' },
  },
  tabs: {
    products: {
      label: 'Products',
      template: 'store/placed-products',
      load: collectionProducts.tab,
      when: ({ kind }) => kind === 'manual',
    },
    rules: {
      label: 'Rules',
      template: 'store/collection-rules',
      load: (ctx, { id }) => rulesTab(ctx, id),
      when: ({ kind }) => kind === 'rule',
    },
  },
  empty: {
    text: 'A collection is a group of products with its own page, such as a season or a campaign.',
    docs: 'glossary',
    cli: null,
  },
});
