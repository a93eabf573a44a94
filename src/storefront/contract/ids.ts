import { defineIds } from '#kernel/ids.ts';

/** Id prefixes of the storefront's tables (storefront-domain section 2). */
export const ids = defineIds({
  shopProduct: 'pdt',
  variant: 'var',
  option: 'opt',
  optionValue: 'opv',
  category: 'cat',
  collection: 'col',
  priceList: 'prl',
  priceListPrice: 'plp',
  digitalFile: 'dfl',
  stockAlert: 'sta',
  stockMovement: 'mov',
  stockReservation: 'rsv',
  contentPage: 'pag',
});
