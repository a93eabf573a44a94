import type { Ctx } from '#kernel/context.ts';
import { type Shipment, type ShipmentItem, shipmentItemRecord, shipmentRecord } from './record.ts';

const SHIPMENTS = shipmentRecord.table;
const ITEMS = shipmentItemRecord.table;

export async function findShipment({ db }: Ctx, id: string): Promise<Shipment | null> {
  const row: object | undefined = await db.knex(SHIPMENTS).where({ id }).first();
  return row ? shipmentRecord.read(row) : null;
}

/** The shipments of an order, the oldest first; with the order locked they stay as they are. */
export async function shipmentsOf({ db }: Ctx, orderId: string): Promise<Shipment[]> {
  const rows: object[] = await db.knex(SHIPMENTS).where({ order_id: orderId }).orderBy(['created_at', 'id']);
  return rows.map(shipmentRecord.read);
}

export async function shipmentItemsOf({ db }: Ctx, ids: readonly string[]): Promise<ShipmentItem[]> {
  const rows: object[] = await db
    .knex(ITEMS)
    .whereIn('shipment_id', [...ids])
    .orderBy(['shipment_id', 'order_item_id']);
  return rows.map(shipmentItemRecord.read);
}

export async function insertShipment({ db }: Ctx, one: Shipment, items: readonly ShipmentItem[]) {
  await db.knex(SHIPMENTS).insert(shipmentRecord.write(one));
  await db.knex(ITEMS).insert(items.map((item) => shipmentItemRecord.write(item)));
}

/** Stores a shipment that is still in the state in which it was read. @returns 0 when it is not */
export const updateShipment = ({ db }: Ctx, one: Shipment, was: Shipment['status']): Promise<number> =>
  db.knex(SHIPMENTS).where({ id: one.id, status: was }).update(shipmentRecord.write(one));
