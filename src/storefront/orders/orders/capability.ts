import { capability } from '#kernel/capability.ts';
import { orderEvents } from './events.ts';
import {
  orderAddressRecord,
  orderAdjustmentRecord,
  orderEventRecord,
  orderItemRecord,
  orderRecord,
} from './record.ts';

/** What was bought. */
export const shopOrders = capability({
  name: 'shop-orders',
  events: [orderEvents],
  records: [orderRecord, orderItemRecord, orderAdjustmentRecord, orderAddressRecord, orderEventRecord],
});
