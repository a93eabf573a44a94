import type { FullText } from '#kernel/db/full-text.ts';

/**
 * The words of the products. `exact` holds what finds one product alone, as a single term each: its SKUs, its barcodes and
 * its whole title.
 */
export const productTerms = {
  table: 'product_search_terms',
  fields: ['exact', 'title', 'names', 'body'],
  levels: {
    exact: ['exact'],
    title: ['title'],
    names: ['title', 'names'],
    everything: ['title', 'names', 'body'],
  },
  of: { table: 'product_search', name: 'product_id' },
} as const satisfies FullText;
export type ProductTerms = Readonly<Record<(typeof productTerms.fields)[number], Iterable<string>>>;
