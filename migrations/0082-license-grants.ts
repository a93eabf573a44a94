import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

const TYPES = ['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA', 'FLOATING'];
const TIERS = ['PERSONAL', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE'];

/** What licenses variants are sold with, and which license each unit of an order has become (fulfilment section 2). */
export const m0082LicenseGrants: Migration = {
  name: '0082-license-grants',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'license_grants', (c, t) => {
      c.reference('variant_id', 'product_variants', 'CASCADE').primary();
      // What the license service deletes is gone for the shop as well: the grant says so.
      c.text('license_product_id').notNullable();
      c.text('policy_id');
      c.choice('type', TYPES).notNullable();
      c.choice('tier', TIERS).notNullable();
      c.int('duration_days', 1, 36_500);
      c.int('max_activations', 1, 1000);
      c.int('max_uses', 0);
      c.text('max_version');
      c.json('features');
      c.choice('quantity_mode', ['one_per_unit', 'seats']).notNullable();
      c.choice('on_refund', ['revoke', 'suspend', 'keep']).notNullable();
      c.choice('on_subscription_end', ['expire', 'suspend']).notNullable();
      c.updated();
      t.index(['license_product_id']);
    });
    await createTable(knex, dialect, 'license_mints', (c, t) => {
      c.id().primary();
      c.reference('order_id', 'orders').notNullable();
      c.reference('order_item_id', 'order_items');
      c.int('unit_no', 1).notNullable();
      c.text('license_id');
      c.text('renews');
      c.int('renewed_days', 1);
      c.choice('status', ['pending', 'minted', 'failed', 'suspended', 'revoked', 'kept']).notNullable();
      c.choice('wanted', ['minted', 'suspended', 'revoked', 'kept']).notNullable();
      c.text('reason');
      c.text('hold_ref');
      c.text('idempotency_key').notNullable();
      c.text('error');
      c.int('attempts', 0).notNullable();
      c.time('next_attempt_at');
      c.updated();
      t.unique(['order_item_id', 'unit_no']);
      t.unique(['license_id']);
      t.index(['order_id']);
      t.index(['next_attempt_at']);
    });
    for (const table of ['order_items', 'cart_items'])
      await knex.schema.alterTable(table, (t) => {
        columnsOf(t, dialect).json('fulfilment');
      });
  },
  async down(knex) {
    await knex.raw('ALTER TABLE order_items DROP COLUMN fulfilment');
    await knex.raw('ALTER TABLE cart_items DROP COLUMN fulfilment');
    await knex.schema.dropTable('license_mints');
    await knex.schema.dropTable('license_grants');
  },
};
