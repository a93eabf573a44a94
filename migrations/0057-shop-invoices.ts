import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Invoices and credit notes as they were issued, and the rates by which shipping was taxed (storefront-domain 4.5). */
export const m0057ShopInvoices: Migration = {
  name: '0057-shop-invoices',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'invoices', (c, t) => {
      c.id().primary();
      c.reference('order_id', 'orders').notNullable();
      c.choice('kind', ['invoice', 'credit_note']).notNullable();
      c.text('invoice_number').notNullable().unique();
      c.reference('refund_id', 'refunds').nullable().unique();
      c.time('issued_at').notNullable();
      c.json('content').notNullable();
      c.json('buyer');
      t.index(['order_id']);
    });
    await knex.raw("CREATE UNIQUE INDEX invoices_order_once ON invoices (order_id) WHERE kind = 'invoice'");
    await knex.schema.alterTable('orders', (t) => {
      columnsOf(t, dialect).json('shipping_tax_lines');
    });
  },
  async down(knex) {
    await knex.schema.dropTable('invoices');
    await knex.raw('ALTER TABLE orders DROP COLUMN shipping_tax_lines');
  },
};
