import { capability } from '#kernel/capability.ts';
import { completeOrdersJob } from './jobs.ts';
import { shipmentItemRecord, shipmentRecord } from './record.ts';
import { orderShipmentResource, shipmentResource } from './resource.ts';

/** What leaves for orders, and when they are done. */
export const shopShipments = capability({
  name: 'shop-shipments',
  resources: [shipmentResource, orderShipmentResource],
  records: [shipmentRecord, shipmentItemRecord],
  jobs: [completeOrdersJob],
});
