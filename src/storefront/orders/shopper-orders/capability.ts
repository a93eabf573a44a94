import { capability } from '#kernel/capability.ts';
import { customerOrderEndpoints } from './customer-endpoints.ts';
import { shopperOrderEndpoints } from './endpoints.shop.ts';

/** Orders as whoever bought sees them: by the link of a mail, or by number and email address. */
export const shopShopperOrders = capability({
  name: 'shop-shopper-orders',
  storeEndpoints: [...shopperOrderEndpoints, ...customerOrderEndpoints],
});
