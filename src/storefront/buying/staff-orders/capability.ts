import { capability } from '#kernel/capability.ts';
import { editPage } from './edit-page.ts';
import { staffOrderEndpoints } from './endpoints.store.ts';
import { newOrderPage } from './new-page.ts';
import { placePage } from './place-page.ts';

/** Orders that staff write, place and edit. */
export const shopStaffOrders = capability({
  name: 'shop-staff-orders',
  storeEndpoints: staffOrderEndpoints,
  pages: [newOrderPage, placePage, editPage],
});
