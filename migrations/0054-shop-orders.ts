import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import { appendOnlyTriggers, dropAppendOnly } from '../src/kernel/db/dialect.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const STATUSES = ['draft', 'pending', 'processing', 'on_hold', 'shipped', 'completed', 'cancelled'];
const PAYMENT = [
  'unpaid',
  'pending',
  'authorized',
  'partially_paid',
  'paid',
  'partially_refunded',
  'refunded',
  'failed',
  'voided',
];
const FULFILLMENT = ['not_required', 'unfulfilled', 'partially_fulfilled', 'fulfilled', 'delivered'];
const MONEY = [
  'subtotal_cents',
  'item_discount_cents',
  'order_discount_cents',
  'loyalty_discount_cents',
  'shipping_cents',
  'shipping_discount_cents',
  'tax_cents',
  'shipping_tax_cents',
  'total_cents',
  'gift_card_cents',
  'paid_cents',
  'refunded_cents',
  'shipping_refunded_cents',
];
const TABLES = ['order_events', 'order_addresses', 'order_adjustments', 'order_items', 'orders'];

/** Orders with what stands in them (storefront-domain 4.5). */
export const m0054ShopOrders: Migration = {
  name: '0054-shop-orders',
  async up(knex, dialect) {
    await makeOrders(knex, dialect);
    await makeItems(knex, dialect);
    await makeRest(knex, dialect);
    await knex('counters').insert([
      { name: 'shop_order_number', value: 1000 },
      { name: 'shop_invoice_number', value: 1000 },
      { name: 'shop_credit_note_number', value: 1000 },
      { name: 'shop_refund_number', value: 1000 },
    ]);
  },
  async down(knex, dialect) {
    await knex('counters')
      .whereIn('name', [
        'shop_order_number',
        'shop_invoice_number',
        'shop_credit_note_number',
        'shop_refund_number',
      ])
      .delete();
    for (const table of TABLES) await knex.schema.dropTable(table);
    for (const sql of dropAppendOnly(dialect, 'order_events')) await knex.raw(sql);
  },
};

async function makeOrders(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'orders', (c, t) => {
    c.id().primary();
    c.text('order_number');
    c.reference('customer_id', 'customers').nullable();
    for (const name of ['email', 'email_norm', 'currency', 'locale']) c.text(name).notNullable();
    for (const name of [
      'phone',
      'shipping_method_id',
      'shipping_method_name',
      'processor',
      'cart_id',
      'note',
    ])
      c.text(name);
    for (const name of ['gift_message', 'internal_note', 'ip', 'user_agent', 'cancel_reason', 'hold_reason'])
      c.text(name);
    c.choice('status', STATUSES).notNullable();
    c.choice('payment_status', PAYMENT).notNullable();
    c.choice('fulfillment_status', FULFILLMENT).notNullable();
    c.flag('prices_include_tax', false);
    c.int('item_count', 0).notNullable();
    for (const name of MONEY) c.big(name, 0).notNullable();
    c.choice('source', ['web', 'admin', 'subscription', 'quote', 'exchange', 'api']).notNullable();
    c.json('tags').notNullable();
    c.json('risk');
    for (const name of ['due_at', 'placed_at', 'paid_at', 'cancelled_at', 'completed_at']) c.time(name);
    c.int('version', 1).notNullable();
    c.updated();
    t.check('refunded_cents <= paid_cents + gift_card_cents');
    t.check('shipping_refunded_cents <= shipping_cents + shipping_tax_cents');
    t.index(['customer_id', 'placed_at']);
    t.index(['status', 'placed_at']);
    t.index(['email_norm']);
    t.index(['placed_at']);
    t.index(['created_at']);
  });
  await knex.raw(
    'CREATE UNIQUE INDEX orders_number_once ON orders (order_number) WHERE order_number IS NOT NULL',
  );
  await knex.raw('CREATE UNIQUE INDEX orders_cart_once ON orders (cart_id) WHERE cart_id IS NOT NULL');
}

async function makeItems(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'order_items', (c, t) => {
    c.id().primary();
    c.reference('order_id', 'orders', 'CASCADE').notNullable();
    for (const name of ['variant_id', 'product_id', 'variant_title', 'slug']) c.text(name);
    for (const name of ['sku', 'title', 'type']) c.text(name).notNullable();
    c.int('quantity', 1, 999).notNullable();
    for (const name of [
      'unit_cents',
      'subtotal_cents',
      'item_discount_cents',
      'order_discount_cents',
      'net_cents',
      'tax_cents',
      'total_cents',
      'refunded_cents',
    ])
      c.big(name, 0).notNullable();
    c.big('cost_cents', 0);
    c.json('tax_lines').notNullable();
    c.json('gift_card_data');
    c.flag('requires_shipping', false);
    for (const name of [
      'weight_g',
      'fulfilled_quantity',
      'cancelled_quantity',
      'return_requested_quantity',
      'returned_quantity',
      'refunded_quantity',
      'position',
    ])
      c.int(name, 0).notNullable();
    c.updated();
    t.check('fulfilled_quantity + cancelled_quantity <= quantity');
    t.check('refunded_quantity <= quantity');
    t.check('refunded_cents <= total_cents');
    t.index(['order_id', 'position']);
    t.index(['variant_id']);
    t.index(['sku']);
  });
}

async function makeRest(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'order_adjustments', (c, t) => {
    c.id().primary();
    c.reference('order_id', 'orders', 'CASCADE').notNullable();
    c.reference('order_item_id', 'order_items', 'CASCADE').nullable();
    c.choice('kind', ['promotion', 'loyalty', 'manual']).notNullable();
    for (const name of ['promotion_id', 'code']) c.text(name);
    c.text('label').notNullable();
    c.big('amount_cents', 0).notNullable();
    t.index(['order_id']);
    t.index(['order_item_id']);
  });
  await createTable(knex, dialect, 'order_addresses', (c, t) => {
    c.id().primary();
    c.reference('order_id', 'orders', 'CASCADE').notNullable();
    c.choice('kind', ['shipping', 'billing']).notNullable();
    for (const name of ['first_name', 'last_name', 'company', 'line2', 'state', 'postal_code', 'phone'])
      c.text(name);
    for (const name of ['line1', 'city', 'country']) c.text(name).notNullable();
    c.updated();
    t.unique(['order_id', 'kind']);
  });
  await createTable(knex, dialect, 'order_events', (c, t) => {
    c.id().primary();
    c.reference('order_id', 'orders').notNullable();
    c.text('type').notNullable();
    for (const name of ['from_status', 'to_status', 'body', 'actor']) c.text(name);
    c.json('data').notNullable();
    c.flag('visible_to_customer', false);
    c.choice('actor_type', ['system', 'customer', 'admin', 'api_key', 'processor']).notNullable();
    t.index(['order_id', 'created_at']);
  });
  for (const sql of appendOnlyTriggers(dialect, 'order_events')) await knex.raw(sql);
}
