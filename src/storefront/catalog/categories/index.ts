export { change, create, get, remove } from './categories.ts';
export { listProducts, replaceProducts } from './links.ts';
export type { Category } from './record.ts';
export { childrenOf, listShown, type ShownCategory, shownCategory } from './shop.ts';
