import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const STATES = [
  'created',
  'requires_action',
  'pending',
  'authorized',
  'captured',
  'failed',
  'voided',
  'expired',
];
const TABLES = ['processor_events', 'refund_items', 'refunds', 'payments'];

/** What was paid for orders and what went back, and what processors report (storefront-domain 4.6). */
export const m0055ShopPayments: Migration = {
  name: '0055-shop-payments',
  async up(knex, dialect) {
    await makePayments(knex, dialect);
    await makeRefunds(knex, dialect);
    await createTable(knex, dialect, 'processor_events', (c, t) => {
      c.id().primary();
      for (const name of ['processor', 'processor_event_id', 'type', 'body_sha256'])
        c.text(name).notNullable();
      c.json('body').notNullable();
      c.choice('status', ['received', 'handled', 'ignored', 'failed']).notNullable();
      for (const name of ['payment_id', 'error']) c.text(name);
      c.int('attempts', 0).notNullable();
      c.time('next_attempt_at');
      c.updated();
      t.unique(['processor', 'processor_event_id']);
      t.index(['status', 'next_attempt_at']);
      t.index(['payment_id']);
      t.index(['created_at']);
    });
  },
  async down(knex) {
    for (const table of TABLES) await knex.schema.dropTable(table);
  },
};

async function makePayments(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'payments', (c, t) => {
    c.id().primary();
    c.reference('order_id', 'orders').notNullable();
    for (const name of ['processor', 'currency']) c.text(name).notNullable();
    c.choice('kind', ['card', 'wallet', 'offline', 'gift_card']).notNullable();
    c.choice('status', STATES).notNullable();
    for (const name of ['amount_cents', 'authorized_cents', 'captured_cents', 'refunded_cents'])
      c.big(name, 0).notNullable();
    for (const name of [
      'method_label',
      'transaction_id',
      'source_hash',
      'gift_card_id',
      'fingerprint',
      'country',
    ])
      c.text(name);
    for (const name of ['error_code', 'error_message']) c.text(name);
    for (const name of ['next_action', 'raw']) c.json(name);
    for (const name of ['expires_at', 'received_at']) c.time(name);
    c.updated();
    t.check('refunded_cents <= captured_cents');
    t.index(['order_id', 'created_at']);
    t.index(['status', 'updated_at']);
    t.index(['fingerprint', 'created_at']);
    t.index(['gift_card_id']);
  });
  // One payment of an order is open at a time (P4).
  await knex.raw(
    `CREATE UNIQUE INDEX payments_open_once ON payments (order_id) WHERE status IN ('created', 'requires_action', 'pending')`,
  );
  await knex.raw(
    'CREATE UNIQUE INDEX payments_transaction_once ON payments (processor, transaction_id) WHERE transaction_id IS NOT NULL',
  );
}

async function makeRefunds(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'refunds', (c, t) => {
    c.id().primary();
    c.text('refund_number').notNullable().unique();
    c.reference('order_id', 'orders').notNullable();
    c.reference('payment_id', 'payments').nullable();
    for (const name of ['amount_cents', 'items_cents', 'shipping_cents', 'adjustment_cents', 'tax_cents'])
      c.big(name, 0).notNullable();
    c.choice('refund_to', ['original', 'gift_card', 'offline']).notNullable();
    c.choice('status', ['pending', 'succeeded', 'failed']).notNullable();
    for (const name of ['processor_refund_id', 'actor', 'error']) c.text(name);
    for (const name of ['reason', 'idempotency_key']) c.text(name).notNullable();
    c.int('attempts', 0).notNullable();
    c.updated();
    t.unique(['order_id', 'idempotency_key']);
    t.index(['status', 'updated_at']);
    t.index(['payment_id']);
  });
  await createTable(knex, dialect, 'refund_items', (c, t) => {
    c.id().primary();
    c.reference('refund_id', 'refunds', 'CASCADE').notNullable();
    c.reference('order_item_id', 'order_items').notNullable();
    c.int('quantity', 0).notNullable();
    for (const name of ['amount_cents', 'tax_cents']) c.big(name, 0).notNullable();
    c.flag('restock', false);
    t.index(['refund_id']);
    t.index(['order_item_id']);
  });
}
