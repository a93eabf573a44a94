import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** Which products stand in a category, and in which order there. */
export const productCategoryRecord = record(
  'product_categories',
  {
    categoryId: column.id(ids.category).references('categories'),
    productId: column.id(ids.shopProduct).references('products'),
    position: column.integer(0),
  },
  { key: ['categoryId', 'productId'] },
);

/** Which products were put into a collection by hand, and in which order. */
export const collectionProductRecord = record(
  'collection_products',
  {
    collectionId: column.id(ids.collection).references('collections'),
    productId: column.id(ids.shopProduct).references('products'),
    position: column.integer(0),
  },
  { key: ['collectionId', 'productId'] },
);
