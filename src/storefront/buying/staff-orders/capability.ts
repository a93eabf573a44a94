import { capability } from '#kernel/capability.ts';
import { staffOrderEndpoints } from './endpoints.store.ts';

/** Orders that staff write, place and edit. */
export const shopStaffOrders = capability({ name: 'shop-staff-orders', storeEndpoints: staffOrderEndpoints });
