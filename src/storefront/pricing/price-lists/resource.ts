import type { Ctx } from '#kernel/context.ts';
import { adminResource, type How, upserting } from '#platform/admin/index.ts';
import * as lists from './price-lists.ts';
import * as prices from './prices.ts';
import { type PriceOf, priceListRows, priceRows } from './queries.ts';
import type { PriceList } from './record.ts';
import { PriceCreate, PriceListCreate, PriceListUpdate, PriceUpdate } from './schemas.ts';
import { priceListScreen, priceScreen } from './screen.ts';
import { PriceListView, PriceView, priceListViews, priceView } from './view.ts';

const needs = { read: 'products:read', write: 'products:write' } as const;
const listOf = ({ named }: How): string => named.priceListId ?? '';

/** Prices for some buyers, for staff (storefront-api.md, Y). */
export const priceListResource = adminResource<PriceList, typeof PriceListCreate, typeof PriceListUpdate>({
  name: 'shop-price-lists',
  labels: { one: 'price list', many: 'price lists' },
  about: 'Prices for companies and customer groups',
  needs,
  screen: priceListScreen,
  rows: priceListRows,
  create: { schema: PriceListCreate, run: lists.create },
  edit: { schema: PriceListUpdate, hasVersion: false, run: lists.change },
  remove: { level: 'severe', summary: 'Remove a price list and its prices', run: lists.remove },
  apis: [
    {
      surface: 'store',
      path: '/price-lists',
      item: 'priceList',
      view: PriceListView,
      toViews: priceListViews,
      without: ['export', 'bulk'],
    },
  ],
});

/** The prices of a list, for staff: below their list, and one by one on a path of their own. */
export const priceResource = adminResource<PriceOf, typeof PriceCreate, typeof PriceUpdate>({
  name: 'shop-prices',
  labels: { one: 'price', many: 'prices' },
  about: 'Prices of variants in a price list',
  needs,
  screen: priceScreen,
  rows: priceRows,
  create: { schema: PriceCreate, run: (ctx, input, how) => prices.addPrice(ctx, listOf(how), input) },
  edit: { schema: PriceUpdate, hasVersion: false, run: prices.changePrice },
  remove: { level: 'moderate', run: prices.removePrice },
  actions: {
    set: upserting<PriceOf, typeof PriceCreate>({
      label: 'Set prices',
      summary: 'Set up to 500 prices in a price list',
      needs: needs.write,
      where: 'page',
      path: '',
      item: PriceCreate,
      run: (ctx, _id, item, how) => prices.setPrice(ctx, listOf(how), item),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/price-lists/{priceListId}/prices',
      itemsAt: '/price-list-prices',
      parent: {
        name: 'priceListId',
        filter: 'priceListId',
        find: async (ctx: Ctx, id: string) => (await lists.get(ctx, id)).id,
      },
      item: 'price',
      type: 'PriceListPrice',
      view: PriceView,
      toView: priceView,
      without: ['export', 'bulk'],
    },
  ],
});
