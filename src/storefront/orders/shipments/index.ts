export { create, type ShipmentInput } from './create.ts';
export { completeOrders } from './jobs.ts';
export { SHIPMENT_STATES, type Shipment, type ShipmentItem } from './record.ts';
export { shipmentItemsOf, shipmentsOf } from './repository.ts';
export { ShipmentCreate } from './schemas.ts';
export { cancel, deliver, get, ship, standingOf, type Tracking, track } from './shipments.ts';
