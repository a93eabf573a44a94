import { capability } from '#kernel/capability.ts';
import { checkoutEndpoints } from './endpoints.store.ts';

/** From a cart to an order. */
export const shopCheckout = capability({ name: 'shop-checkout', storeEndpoints: checkoutEndpoints });
