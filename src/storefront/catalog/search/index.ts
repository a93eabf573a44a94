export {
  type Facets,
  type FacetValue,
  type ProductList,
  type ProductQuery,
  productList,
  SORTS,
  type Sort,
} from './list.ts';
export { cardsOf, type Shelved, shelfOf } from './shelf.ts';
export { type ShownProduct, shownProduct } from './shown.ts';
