import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import { appendOnlyTriggers, dropAppendOnly } from '../src/kernel/db/dialect.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const REASONS = [
  'received',
  'correction',
  'damaged',
  'returned',
  'count',
  'sale',
  'return',
  'cancellation',
  'import',
];

/** What is in stock, each change of it, and what is held for orders (storefront-domain 4.2). */
export const m0040Inventory: Migration = {
  name: '0040-inventory',
  async up(knex, dialect) {
    await makeLevels(knex, dialect);
    await makeMovements(knex, dialect);
    await makeReservations(knex, dialect);
    await knex('counters').insert({ name: 'shop_stock', value: 0 });
    // What was sold without stock goes on being sold.
    await knex.raw(
      `INSERT INTO inventory_levels (variant_id, on_hand, reserved, track_inventory, allow_backorder, state, state_version, created_at, updated_at)
       SELECT id, 0, 0, FALSE, FALSE, 'in', 0, updated_at, updated_at FROM product_variants`,
    );
  },
  async down(knex, dialect) {
    await knex('counters').where({ name: 'shop_stock' }).delete();
    for (const table of ['stock_reservations', 'stock_movements', 'inventory_levels'])
      await knex.schema.dropTable(table);
    for (const sql of dropAppendOnly(dialect, 'stock_movements')) await knex.raw(sql);
  },
};

async function makeLevels(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'inventory_levels', (c, t) => {
    c.reference('variant_id', 'product_variants', 'CASCADE').primary();
    c.int('on_hand', -1_000_000_000).notNullable();
    c.int('reserved', 0).notNullable();
    c.flag('track_inventory', false);
    c.flag('allow_backorder', false);
    c.int('low_stock_threshold', 0);
    c.time('low_stock_notified_at');
    c.choice('state', ['in', 'low', 'backorder', 'out']).notNullable();
    c.big('state_version', 0).notNullable();
    c.updated();
    t.index(['state']);
    t.index(['state_version']);
  });
}

async function makeMovements(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'stock_movements', (c, t) => {
    c.id().primary();
    // Of a variant, an order and a return: the history outlives each of them.
    c.id('variant_id');
    c.int('delta', -2_000_000_000).notNullable();
    c.int('on_hand_after', -1_000_000_000).notNullable();
    c.choice('reason', REASONS).notNullable();
    c.text('order_id');
    c.text('return_id');
    c.text('actor').notNullable();
    c.text('note');
    t.index(['variant_id', 'created_at']);
    t.index(['created_at']);
  });
  for (const sql of appendOnlyTriggers(dialect, 'stock_movements')) await knex.raw(sql);
}

async function makeReservations(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'stock_reservations', (c, t) => {
    c.id().primary();
    c.reference('variant_id', 'product_variants').notNullable();
    c.text('order_id').notNullable();
    c.text('order_item_id').notNullable();
    c.int('quantity', 1).notNullable();
    c.choice('status', ['held', 'consumed', 'released', 'expired']).notNullable();
    c.time('expires_at').notNullable();
    c.updated();
    t.unique(['order_item_id']);
    t.index(['status', 'expires_at']);
    t.index(['order_id']);
    t.index(['variant_id', 'status']);
  });
}
