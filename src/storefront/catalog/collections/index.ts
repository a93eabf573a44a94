export { change, create, get, listProducts, remove, replaceProducts } from './collections.ts';
export type { Collection } from './record.ts';
export { listShown, type ShownCollection, shownCollection } from './shop.ts';
