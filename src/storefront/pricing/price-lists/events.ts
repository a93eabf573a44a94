import { change, defineEvents } from '#kernel/events.ts';
import { type Price, type PriceList, priceListRecord, priceRecord } from './record.ts';

type Told = Pick<PriceList, 'name' | 'kind' | 'active'>;
type ToldPrice = Pick<Price, 'priceListId' | 'variantId' | 'minQuantity' | 'unitCents'>;

/** What happens to price lists. */
export const priceListEvents = defineEvents(
  'store',
  {
    'price_list.created': change<Told>(),
    'price_list.updated': change<Told>(),
    'price_list.deleted': change<Told>(),
  },
  { target: 'shop-price-lists', record: priceListRecord },
);

/** What happens to the prices in them, and to public quantity breaks. */
export const priceEvents = defineEvents(
  'store',
  { 'price.set': change<ToldPrice>(), 'price.removed': change<ToldPrice>() },
  { target: 'shop-prices', record: priceRecord },
);
