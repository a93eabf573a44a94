import { capability } from '#kernel/capability.ts';
import { visitEndpoints } from './endpoints.shop.ts';

/** What a page of the shop asks about whoever looks at it. */
export const shopVisits = capability({ name: 'shop-visits', storeEndpoints: visitEndpoints });
