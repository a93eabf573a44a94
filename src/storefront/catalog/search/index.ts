export { correctionsOf } from './corrections.ts';
export {
  type Facets,
  type FacetValue,
  type ProductList,
  type ProductQuery,
  productList,
  SORTS,
  type Sort,
} from './list.ts';
export { categoriesFor, pagesFor } from './matching-places.ts';
export { MOST_CHOSEN } from './option-query.ts';
export { searchLimit } from './search-endpoints.ts';
export { cardsOf, type Shelved, shelfOf } from './shelf.ts';
export { leftAt, type ShownProduct, shownProduct } from './shown.ts';
