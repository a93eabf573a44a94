import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Prices for some buyers, and public quantity breaks, which belong to no list (storefront-domain 4.1). */
export const m0043ShopPriceLists: Migration = {
  name: '0043-shop-price-lists',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'price_lists', (c, t) => {
      c.id().primary();
      c.text('name').notNullable();
      c.choice('kind', ['fixed', 'percent']).notNullable();
      c.int('adjust_bps', -10_000, 100_000).notNullable();
      c.text('currency').notNullable();
      c.time('starts_at');
      c.time('ends_at');
      c.flag('active', true);
      c.updated();
      t.index(['name']);
    });
    await createTable(knex, dialect, 'price_list_prices', (c, t) => {
      c.id().primary();
      c.reference('price_list_id', 'price_lists', 'CASCADE');
      c.reference('variant_id', 'product_variants', 'CASCADE').notNullable();
      c.int('min_quantity', 1).notNullable();
      c.big('unit_cents', 0).notNullable();
      c.updated();
      t.index(['variant_id']);
      t.index(['price_list_id', 'created_at']);
    });
    // Nothing equals null, so that each of both kinds has an index of its own.
    await knex.raw(
      'CREATE UNIQUE INDEX price_list_prices_of_list ON price_list_prices (price_list_id, variant_id, min_quantity) WHERE price_list_id IS NOT NULL',
    );
    await knex.raw(
      'CREATE UNIQUE INDEX price_list_prices_public ON price_list_prices (variant_id, min_quantity) WHERE price_list_id IS NULL',
    );
  },
  async down(knex) {
    await knex.schema.dropTable('price_list_prices');
    await knex.schema.dropTable('price_lists');
  },
};
