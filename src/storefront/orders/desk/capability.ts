import { capability } from '#kernel/capability.ts';
import { addressPage } from './address-page.ts';
import { orderEventResource, paymentResource, refundResource, reportResource } from './part-resources.ts';
import { refundPage } from './refund-page.ts';
import { orderResource } from './resource.ts';
import { shipPage } from './ship-page.ts';

/** What staff do with orders. */
export const shopOrderDesk = capability({
  name: 'shop-order-desk',
  resources: [orderResource, paymentResource, refundResource, orderEventResource, reportResource],
  pages: [refundPage, addressPage, shipPage],
});
