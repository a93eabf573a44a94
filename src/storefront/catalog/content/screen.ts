import { storeScreen } from '#platform/admin/index.ts';
import { StorePageView } from './view.ts';

const inShop = ({ slug }: { readonly slug: string }): string => `/shop/pages/${slug}`;
const text = ['bodyMarkdown', 'bodyHtml'];

/** Pages of the shop in the panel. */
export const pageScreen = storeScreen(StorePageView, {
  path: '/store/pages',
  words: 'terms privacy policy',
  area: 'content',
  order: 10,
  title: ({ title }) => title,
  columns: {
    title: {},
    slug: { label: 'Slug', kind: 'code', link: inShop },
    status: {},
    updatedAt: { label: 'Changed', sort: 'updated' },
  },
  facts: {
    slug: { label: 'Slug', kind: 'code', link: inShop },
    status: {},
    seoTitle: {
      label: 'Title for search engines',
      value: ({ seo }) => seo.title,
    },
    seoDescription: {
      label: 'Description for search engines',
      value: ({ seo }) => seo.description,
    },
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    slug: 'Slug',
    bodyMarkdown: 'Text in Markdown',
    bodyHtml: 'Text in HTML',
    seoTitle: 'Title for search engines',
    seoDescription: 'Description for search engines',
  },
  sections: {
    create: [{ title: 'Page', fields: ['title', 'slug', ...text, 'status'] }],
    edit: [{ title: 'Page', fields: ['title', 'slug', ...text, 'status'] }],
  },
  // Of a text that was written in Markdown, that is what is edited.
  values: ({ seo, bodyMarkdown, bodyHtml, ...page }) => ({
    ...page,
    bodyMarkdown,
    bodyHtml: bodyMarkdown === null ? bodyHtml : null,
    seoTitle: seo.title,
    seoDescription: seo.description,
  }),
  fields: {
    title: { example: 'Terms of sale' },
    slug: {
      help: 'Leave empty to create it from the title. The old address redirects to the new one.',
    },
    bodyMarkdown: {
      kind: 'textarea',
      help: 'Write the text in Markdown, or in HTML below.',
    },
    bodyHtml: {
      kind: 'textarea',
      help: 'HTML is cleaned: scripts and styles are removed.',
    },
    status: {
      help: 'Only staff can see a draft, at its address in the shop.',
    },
    seoDescription: { kind: 'textarea' },
  },
  initial: { status: 'draft' },
  empty: {
    text: 'Pages are for texts such as terms, privacy and shipping information. The footer links to published pages.',
    docs: 'glossary',
    cli: null,
  },
});
