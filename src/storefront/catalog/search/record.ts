import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** That a product is in the index, and as what. Follows from the products, so that a row names one without a reference. */
export const productSearchRecord = record(
  'product_search',
  {
    /** Of its row in the index. */
    number: column.integer(1),
    productId: column.id(ids.shopProduct),
    /** Of the product as it was indexed. */
    version: column.integer(0),
    /** Of the way in which it was indexed. */
    form: column.integer(0),
    /** Those of its title, brand, tags and options, separated by blanks: what the list of words counts it in. */
    words: column.text(1_000_000),
  },
  { key: ['number'], natural: ['productId'] },
);
export type Indexed = ValuesOf<typeof productSearchRecord>;

/** Words that products are found by: what somebody may have meant. */
export const searchWordRecord = record(
  'product_search_words',
  {
    word: column.text(60, 1),
    /** With its accents. */
    spelling: column.text(120, 1),
    /** Products that have it. */
    uses: column.integer(0),
  },
  { key: ['word'] },
);

/** Each three characters of a word, by which words are found that are written almost alike. */
export const searchGramRecord = record(
  'product_search_grams',
  { gram: column.text(3, 3), word: column.text(60, 1) },
  { key: ['gram', 'word'] },
);
