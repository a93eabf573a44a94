import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const TABLES = ['cart_codes', 'cart_items', 'carts', 'customers'];

/** Customers, guests first, and what shoppers collect before they order (storefront-domain 4.3, 4.4). */
export const m0053ShopCarts: Migration = {
  name: '0053-shop-carts',
  async up(knex, dialect) {
    await makeCustomers(knex, dialect);
    await makeCarts(knex, dialect);
  },
  async down(knex) {
    for (const table of TABLES) await knex.schema.dropTable(table);
  },
};

async function makeCustomers(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'customers', (c, t) => {
    c.id().primary();
    for (const name of ['email', 'email_norm']) c.text(name).notNullable();
    for (const name of ['first_name', 'last_name', 'phone', 'locale']) c.text(name);
    c.choice('status', ['active', 'disabled', 'anonymised']).notNullable();
    for (const name of ['accepts_marketing', 'is_guest', 'tax_exempt']) c.flag(name, false);
    c.int('order_count', 0).notNullable();
    c.big('spent_cents', 0).notNullable();
    c.updated();
    t.index(['created_at']);
  });
  // One guest and one account for an address: a guest proves nothing, so that both may be.
  await knex.raw(
    `CREATE UNIQUE INDEX customers_email_once ON customers (email_norm, is_guest) WHERE status <> 'anonymised'`,
  );
}

async function makeCarts(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'carts', (c, t) => {
    c.id().primary();
    for (const name of [
      'session_key',
      'email',
      'phone',
      'locale',
      'shipping_method_id',
      'note',
      'gift_message',
      'order_id',
    ])
      c.text(name);
    c.reference('customer_id', 'customers').nullable();
    c.choice('status', ['active', 'converted', 'merged', 'expired']).notNullable();
    c.text('currency').notNullable();
    for (const name of ['shipping_address', 'billing_address']) c.json(name);
    c.json('seen').notNullable();
    c.flag('accepts_marketing', false);
    c.time('last_activity_at').notNullable();
    c.int('version', 1).notNullable();
    c.updated();
    t.index(['status', 'last_activity_at']);
    t.index(['order_id']);
  });
  await knex.raw(`CREATE UNIQUE INDEX carts_session_once ON carts (session_key) WHERE status = 'active'`);
  await knex.raw(`CREATE UNIQUE INDEX carts_customer_once ON carts (customer_id) WHERE status = 'active'`);
  await createTable(knex, dialect, 'cart_items', (c, t) => {
    c.id().primary();
    c.reference('cart_id', 'carts', 'CASCADE').notNullable();
    c.reference('variant_id', 'product_variants', 'CASCADE').notNullable();
    c.int('quantity', 1, 999).notNullable();
    c.json('gift_card_data');
    c.text('line_key').notNullable();
    c.int('position', 0).notNullable();
    c.updated();
    t.unique(['cart_id', 'line_key']);
    t.index(['variant_id']);
  });
  await createTable(knex, dialect, 'cart_codes', (c, t) => {
    c.reference('cart_id', 'carts', 'CASCADE').notNullable();
    c.choice('kind', ['promotion', 'gift_card']).notNullable();
    c.text('code_norm').notNullable();
    c.text('shown').notNullable();
    c.text('ref_id').notNullable();
    c.int('position', 0).notNullable();
    t.primary(['cart_id', 'kind', 'code_norm']);
  });
}
