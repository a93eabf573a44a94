import type { LocalPart } from '#kernel/capability.ts';
import { cartLocal } from './buying/cart/local.ts';
import { inventoryLocal } from './catalog/inventory/local.ts';
import { shopSearchLocal } from './catalog/search/local.ts';
import { limitSettings } from './contract/limits.ts';
import { featureSettings, storeSettings } from './contract/settings.ts';
import { priceListsLocal } from './pricing/price-lists/local.ts';
import { reportsLocal } from './tools/reports/local.ts';

/** Settings that belong to the shop as a whole. */
export const storeLocal = {
  name: 'store',
  settings: [...storeSettings, ...Object.values(featureSettings), ...limitSettings],
  // Loaded with the first mail: a short command that writes none needs no pictures.
  mailBrand: async (ctx) => (await import('./contract/mail-brand.ts')).shopMailBrand(ctx),
} satisfies LocalPart;

/** What every process knows of the shop, whether it serves or runs one command. */
export const storefrontLocal: readonly LocalPart[] = [
  storeLocal,
  inventoryLocal,
  shopSearchLocal,
  priceListsLocal,
  cartLocal,
  reportsLocal,
];

export { storeHookPoints } from './contract/events.ts';
