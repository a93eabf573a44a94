export { change, create, get, remove } from './price-lists.ts';
export { addPrice, listTiers, removePrice, replaceTiers, setPrice } from './prices.ts';
export { variantOfSku } from './queries.ts';
export type { Price, PriceList } from './record.ts';
