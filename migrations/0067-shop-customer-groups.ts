import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

const TABLES = ['customer_notes', 'customer_group_members', 'customer_groups'];

/** Groups of customers, what staff note of them, and into whom somebody was merged (storefront-domain 4.3). */
export const m0067ShopCustomerGroups: Migration = {
  name: '0067-shop-customer-groups',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'customer_groups', (c, t) => {
      c.id().primary();
      c.text('name').notNullable();
      c.json('rule');
      c.reference('price_list_id', 'price_lists').nullable();
      c.flag('tax_exempt', false);
      c.updated();
      t.unique(['name']);
      t.index(['price_list_id']);
    });
    await createTable(knex, dialect, 'customer_group_members', (c, t) => {
      c.reference('group_id', 'customer_groups', 'CASCADE').notNullable();
      c.reference('customer_id', 'customers', 'CASCADE').notNullable();
      t.primary(['group_id', 'customer_id']);
      t.index(['customer_id']);
    });
    await createTable(knex, dialect, 'customer_notes', (c, t) => {
      c.id().primary();
      c.reference('customer_id', 'customers', 'CASCADE').notNullable();
      c.text('admin_user_id');
      c.text('actor').notNullable();
      c.text('body').notNullable();
      t.index(['customer_id', 'created_at']);
    });
    await knex.raw('ALTER TABLE customers ADD COLUMN merged_into_id text');
    await knex.raw(
      'CREATE INDEX customers_merged ON customers (merged_into_id) WHERE merged_into_id IS NOT NULL',
    );
  },
  async down(knex) {
    await knex.raw('DROP INDEX customers_merged');
    await knex.raw('ALTER TABLE customers DROP COLUMN merged_into_id');
    for (const table of TABLES) await knex.schema.dropTable(table);
  },
};
