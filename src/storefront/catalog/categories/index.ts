export { change, create, get, remove } from './categories.ts';
export { listProducts, replaceProducts } from './links.ts';
export { categoriesShownBy, listAll, type PicturedCategory } from './queries.ts';
export type { Category } from './record.ts';
export { CategoryCreate } from './schemas.ts';
export { categoriesAbove, childrenOf, listShown, type ShownCategory, shownCategory } from './shop.ts';
