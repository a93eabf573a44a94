export { create, type ShipmentInput } from './create.ts';
export { completeOrders } from './jobs.ts';
export { SHIPMENT_STATES, type Shipment, type ShipmentItem } from './record.ts';
export { shipmentItemsOf, shipmentsOf } from './repository.ts';
export { cancel, deliver, get, ship, type Tracking, track } from './shipments.ts';
