export { change, create, get, listProducts, remove, replaceProducts } from './collections.ts';
export { collectionsShownBy, listAll, type PicturedCollection } from './queries.ts';
export type { Collection } from './record.ts';
export { CollectionCreate } from './schemas.ts';
export { listAnnounced, listShown, type ShownCollection, shownCollection } from './shop.ts';
