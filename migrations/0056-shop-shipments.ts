import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What leaves for an order, parcel by parcel (storefront-domain 4.5). */
export const m0056ShopShipments: Migration = {
  name: '0056-shop-shipments',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'shipments', (c, t) => {
      c.id().primary();
      c.reference('order_id', 'orders').notNullable();
      c.text('shipment_number').notNullable().unique();
      c.choice('status', ['pending', 'shipped', 'delivered', 'cancelled']).notNullable();
      for (const name of ['carrier', 'service', 'tracking_number', 'tracking_url', 'cancel_reason'])
        c.text(name);
      for (const name of ['shipped_at', 'delivered_at', 'cancelled_at']) c.time(name);
      c.updated();
      t.index(['order_id', 'status']);
      t.index(['status', 'created_at']);
    });
    await createTable(knex, dialect, 'shipment_items', (c, t) => {
      c.reference('shipment_id', 'shipments', 'CASCADE').notNullable();
      c.reference('order_item_id', 'order_items').notNullable();
      c.int('quantity', 1).notNullable();
      t.primary(['shipment_id', 'order_item_id']);
      t.index(['order_item_id']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('shipment_items');
    await knex.schema.dropTable('shipments');
  },
};
