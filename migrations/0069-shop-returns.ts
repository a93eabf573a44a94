import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const STATUSES = [
  'requested',
  'approved',
  'in_transit',
  'received',
  'completed',
  'rejected',
  'cancelled',
  'expired',
];
const OF_ORDER = ['none', 'requested', 'in_progress', 'partially_returned', 'returned'];
/** Those that every shop begins with; their ids are fixed: every installation has these. */
const REASONS = [
  ['damaged', 'It is damaged', true],
  ['wrong_item', 'It is not what I ordered', false],
  ['not_as_described', 'It is not as described', false],
  ['does_not_fit', 'It does not fit', false],
  ['changed_mind', 'I changed my mind', false],
] as const;
const TABLES = ['return_messages', 'return_items', 'returns', 'return_reasons'];

/** Goods that come back (storefront-domain 4.7). */
export const m0069ShopReturns: Migration = {
  name: '0069-shop-returns',
  async up(knex, dialect) {
    await makeReturns(knex, dialect);
    await makeParts(knex, dialect);
    await seedReasons(knex);
    await knex.raw(
      `ALTER TABLE orders ADD COLUMN return_status text NOT NULL DEFAULT 'none' CHECK (return_status IN (${OF_ORDER.map((one) => `'${one}'`).join(', ')}))`,
    );
    await knex.raw('ALTER TABLE refunds ADD COLUMN return_id text');
    await knex.raw('CREATE INDEX refunds_of_return ON refunds (return_id) WHERE return_id IS NOT NULL');
    await knex('counters').insert({ name: 'shop_return_number', value: 1000 });
  },
  async down(knex) {
    await knex('counters').where({ name: 'shop_return_number' }).delete();
    await knex.raw('DROP INDEX refunds_of_return');
    await knex.raw('ALTER TABLE refunds DROP COLUMN return_id');
    await knex.raw('ALTER TABLE orders DROP COLUMN return_status');
    for (const table of TABLES) await knex.schema.dropTable(table);
  },
};

async function makeReturns(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'return_reasons', (c) => {
    c.id().primary();
    c.text('label').notNullable();
    c.text('code');
    c.flag('requires_note', false);
    c.flag('requires_photo', false);
    c.flag('is_active', true);
    c.int('position', 0).notNullable();
    c.updated();
  });
  await createTable(knex, dialect, 'returns', (c, t) => {
    c.id().primary();
    c.text('return_number').notNullable().unique();
    c.reference('order_id', 'orders').notNullable();
    c.choice('status', STATUSES).notNullable();
    c.choice('resolution', ['refund', 'store_credit', 'exchange']).notNullable();
    c.choice('outcome', ['refund', 'exchange', 'none']);
    for (const name of ['exchange_variant_id', 'exchange_order_id', 'once_key', 'instructions']) c.text(name);
    for (const name of ['label_url', 'carrier', 'tracking_number', 'end_reason']) c.text(name);
    c.big('restocking_fee_cents', 0).notNullable();
    c.time('requested_at').notNullable();
    for (const name of ['return_by', 'approved_at', 'received_at', 'closed_at']) c.time(name);
    c.updated();
    t.unique(['order_id', 'once_key']);
    t.index(['order_id', 'created_at']);
    t.index(['status', 'return_by']);
    t.index(['created_at']);
    t.index(['exchange_order_id']);
  });
}

async function makeParts(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'return_items', (c, t) => {
    c.id().primary();
    c.reference('return_id', 'returns', 'CASCADE').notNullable();
    c.reference('order_item_id', 'order_items').notNullable();
    c.reference('reason_id', 'return_reasons').notNullable();
    c.int('quantity', 1, 999).notNullable();
    c.int('approved_quantity', 0, 999).notNullable();
    c.int('received_quantity', 0, 999).notNullable();
    c.text('note');
    c.json('media').notNullable();
    c.choice('condition', ['new', 'opened', 'damaged']);
    c.flag('restock', false);
    c.big('refund_cents', 0).notNullable();
    c.updated();
    t.check('approved_quantity <= quantity');
    t.check('received_quantity <= approved_quantity');
    t.unique(['return_id', 'order_item_id']);
    t.index(['order_item_id']);
    t.index(['reason_id']);
  });
  await createTable(knex, dialect, 'return_messages', (c, t) => {
    c.id().primary();
    c.reference('return_id', 'returns', 'CASCADE').notNullable();
    c.choice('author_type', ['customer', 'staff', 'system']).notNullable();
    c.text('author');
    c.text('body').notNullable();
    c.json('media').notNullable();
    c.flag('is_internal', false);
    t.index(['return_id', 'created_at']);
  });
}

async function seedReasons(knex: Schema): Promise<void> {
  const at = '2026-01-01T00:00:00.000Z';
  await knex('return_reasons').insert(
    REASONS.map(([code, label, needsNote], position) => ({
      id: `rrs_${String(position + 1).padStart(26, '0')}`,
      label,
      code,
      requires_note: needsNote,
      position,
      created_at: at,
      updated_at: at,
    })),
  );
}
