import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

/** The catalog of the shop (storefront-domain 4.1). Columns that name media, vendors and tax classes come with those. */
export const m0031ShopProducts: Migration = {
  name: '0031-shop-products',
  async up(knex, dialect) {
    await makeProducts(knex, dialect);
    await makeVariants(knex, dialect);
    await makeOptions(knex, dialect);
    await makeBelongings(knex, dialect);
  },
  async down(knex) {
    for (const table of [
      'slug_redirects',
      'product_relations',
      'product_tags',
      'variant_option_values',
      'product_option_values',
      'product_options',
      'product_variants',
      'products',
    ])
      await knex.schema.dropTable(table);
  },
};

async function makeProducts(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'products', (c, t) => {
    c.id().primary();
    c.text('title').notNullable();
    c.text('slug').notNullable();
    c.choice('status', ['draft', 'active', 'archived']).notNullable();
    c.choice('type', ['physical', 'digital', 'license', 'gift_card', 'subscription', 'merch']).notNullable();
    for (const name of ['description_html', 'short_description', 'brand', 'seo_title', 'seo_description'])
      c.text(name);
    c.flag('is_discountable', true);
    c.flag('is_taxable', true);
    c.int('min_quantity', 1).notNullable();
    c.int('max_quantity', 1);
    c.time('publish_at');
    for (const counter of ['rating_sum', 'rating_count', 'sales_count', 'version'])
      c.big(counter, 0).notNullable();
    c.updated();
    t.unique(['slug']);
    t.index(['status', 'created_at']);
    t.index(['created_at']);
    t.index(['title']);
    t.index(['updated_at']);
  });
}

async function makeVariants(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'product_variants', (c, t) => {
    c.id().primary();
    c.reference('product_id', 'products').notNullable();
    for (const name of ['sku', 'sku_norm', 'title', 'option_key', 'currency']) c.text(name).notNullable();
    c.text('barcode');
    c.big('price_cents', 0).notNullable();
    c.big('compare_at_cents', 0);
    c.big('cost_cents', 0);
    for (const name of ['weight_g', 'length_mm', 'width_mm', 'height_mm', 'position'])
      c.int(name, 0).notNullable();
    c.flag('requires_shipping', true);
    c.flag('is_default', false);
    c.flag('is_ordered', false);
    c.time('deleted_at');
    c.updated();
    t.index(['product_id', 'position']);
    t.index(['barcode']);
  });
  await knex.raw(
    'CREATE UNIQUE INDEX product_variants_sku ON product_variants (sku_norm) WHERE deleted_at IS NULL',
  );
  await knex.raw(
    'CREATE UNIQUE INDEX product_variants_options ON product_variants (product_id, option_key) WHERE deleted_at IS NULL',
  );
}

async function makeOptions(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'product_options', (c, t) => {
    c.id().primary();
    c.reference('product_id', 'products').notNullable();
    c.text('name').notNullable();
    c.int('position', 0).notNullable();
    c.updated();
    t.unique(['product_id', 'name']);
  });
  await createTable(knex, dialect, 'product_option_values', (c, t) => {
    c.id().primary();
    c.reference('option_id', 'product_options').notNullable();
    c.text('value').notNullable();
    c.text('swatch_hex');
    c.int('position', 0).notNullable();
    c.updated();
    t.unique(['option_id', 'value']);
  });
  await knex.schema.createTable('variant_option_values', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('variant_id', 'product_variants').notNullable();
    c.reference('option_id', 'product_options').notNullable();
    c.reference('value_id', 'product_option_values').notNullable();
    t.primary(['variant_id', 'option_id']);
    t.index(['value_id']);
    t.index(['option_id']);
  });
}

async function makeBelongings(knex: Schema, dialect: DialectName): Promise<void> {
  await knex.schema.createTable('product_tags', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('product_id', 'products').notNullable();
    c.text('tag').notNullable();
    c.text('tag_norm').notNullable();
    t.primary(['product_id', 'tag_norm']);
    t.index(['tag_norm']);
  });
  await knex.schema.createTable('product_relations', (t) => {
    const c = columnsOf(t, dialect);
    c.reference('product_id', 'products').notNullable();
    c.reference('related_id', 'products').notNullable();
    c.choice('kind', ['related', 'upsell', 'cross_sell']).notNullable();
    c.int('position', 0).notNullable();
    t.primary(['product_id', 'related_id', 'kind']);
    t.index(['related_id']);
  });
  await createTable(knex, dialect, 'slug_redirects', (c, t) => {
    c.text('slug').primary();
    c.reference('product_id', 'products').notNullable();
    t.index(['product_id']);
  });
}
