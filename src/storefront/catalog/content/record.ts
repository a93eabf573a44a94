import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

export const PAGE_STATUSES = ['draft', 'published'] as const;
/** Characters of the text of a page. */
export const MOST_BODY = 100_000;

/** A page that staff write, such as terms or a story (storefront-domain 4.13). */
export const contentPageRecord = record(
  'pages',
  {
    id: column.id(ids.contentPage),
    slug: column.text(63, 1),
    title: column.text(255, 1),
    /** As it is shown: cleaned, and longer than what was written where Markdown was. */
    bodyHtml: column.text(5 * MOST_BODY),
    /** What the text was made from; null for one that was written in HTML. */
    bodyMarkdown: column.text(MOST_BODY).nullable(),
    status: column.choice(PAGE_STATUSES),
    seoTitle: column.text(255).nullable(),
    seoDescription: column.text(500).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['slug'] },
);
export type ContentPage = ValuesOf<typeof contentPageRecord>;

/** A slug that a page had before: its links lead on. */
export const pageRedirectRecord = record(
  'page_redirects',
  {
    slug: column.text(63, 1),
    pageId: column.id(ids.contentPage).references('pages'),
    createdAt: column.time(),
  },
  { key: ['slug'] },
);
