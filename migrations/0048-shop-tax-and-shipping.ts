import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

/** Those of the design; the shop may have more. Their ids are fixed: every installation has these. */
const CLASSES = [
  ['standard', 'Standard'],
  ['reduced', 'Reduced'],
  ['zero', 'Zero'],
  ['digital', 'Digital goods'],
  ['shipping', 'Shipping'],
] as const;

const KINDS = ['flat', 'weight', 'price', 'item', 'free', 'pickup'];

/** Which tax is due where, and what it costs to ship (storefront-domain 4.14). */
export const m0048ShopTaxAndShipping: Migration = {
  name: '0048-shop-tax-and-shipping',
  async up(knex, dialect) {
    await makeTax(knex, dialect);
    await makeShipping(knex, dialect);
    await knex('tax_classes').insert(
      CLASSES.map(([code, name], at) => ({
        id: `tcl_${String(at + 1).padStart(26, '0')}`,
        code,
        name,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      })),
    );
    await knex.raw('ALTER TABLE products ADD COLUMN tax_class_id text REFERENCES tax_classes (id)');
    await knex.raw('CREATE INDEX products_tax_class ON products (tax_class_id)');
    await knex.raw(
      'ALTER TABLE product_variants ADD COLUMN shipping_class_id text REFERENCES shipping_classes (id)',
    );
    await knex.raw('CREATE INDEX product_variants_shipping_class ON product_variants (shipping_class_id)');
  },
  async down(knex) {
    await knex.raw('DROP INDEX product_variants_shipping_class');
    await knex.raw('ALTER TABLE product_variants DROP COLUMN shipping_class_id');
    await knex.raw('DROP INDEX products_tax_class');
    await knex.raw('ALTER TABLE products DROP COLUMN tax_class_id');
    for (const table of [
      'shipping_rates',
      'shipping_methods',
      'shipping_zone_regions',
      'shipping_zones',
      'shipping_classes',
      'tax_rates',
      'tax_zone_regions',
      'tax_zones',
      'tax_classes',
    ])
      await knex.schema.dropTable(table);
  },
};

async function makeRegions(knex: Schema, dialect: DialectName, of: 'tax' | 'shipping'): Promise<void> {
  await createTable(knex, dialect, `${of}_zone_regions`, (c, t) => {
    c.id().primary();
    c.reference('zone_id', `${of}_zones`, 'CASCADE').notNullable();
    c.text('country').notNullable();
    c.text('state');
    c.text('postal_pattern');
    t.index(['zone_id']);
    t.index(['country']);
  });
}

async function makeTax(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'tax_classes', (c, t) => {
    c.id().primary();
    c.text('name').notNullable();
    c.text('code').notNullable();
    c.updated();
    t.unique(['code']);
  });
  await createTable(knex, dialect, 'tax_zones', (c, t) => {
    c.id().primary();
    c.text('name').notNullable();
    c.int('priority', 0).notNullable();
    c.updated();
    t.index(['name']);
  });
  await makeRegions(knex, dialect, 'tax');
  await createTable(knex, dialect, 'tax_rates', (c, t) => {
    c.id().primary();
    c.reference('zone_id', 'tax_zones', 'CASCADE').notNullable();
    c.reference('tax_class_id', 'tax_classes').notNullable();
    c.text('name').notNullable();
    c.int('rate_ppm', 0, 1_000_000).notNullable();
    c.flag('applies_to_shipping', false);
    c.flag('compound', false);
    c.time('valid_from');
    c.time('valid_to');
    c.int('position', 0).notNullable();
    c.updated();
    t.index(['zone_id', 'position']);
    t.index(['tax_class_id']);
  });
}

async function makeShipping(knex: Schema, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'shipping_classes', (c, t) => {
    c.id().primary();
    c.text('name').notNullable();
    c.big('handling_cents', 0).notNullable();
    c.updated();
    t.index(['name']);
  });
  await createTable(knex, dialect, 'shipping_zones', (c, t) => {
    c.id().primary();
    c.text('name').notNullable();
    c.int('position', 0).notNullable();
    c.updated();
    t.index(['name']);
  });
  await makeRegions(knex, dialect, 'shipping');
  await createTable(knex, dialect, 'shipping_methods', (c, t) => {
    c.id().primary();
    c.reference('zone_id', 'shipping_zones', 'CASCADE').notNullable();
    c.reference('tax_class_id', 'tax_classes').notNullable();
    c.text('name').notNullable();
    for (const name of ['description', 'carrier']) c.text(name);
    c.choice('kind', KINDS).notNullable();
    for (const name of ['eta_min_days', 'eta_max_days']) c.int(name, 0);
    c.big('free_over_cents', 0);
    c.flag('active', true);
    c.int('position', 0).notNullable();
    c.updated();
    t.index(['zone_id', 'position']);
    t.index(['tax_class_id']);
  });
  await createTable(knex, dialect, 'shipping_rates', (c, t) => {
    c.id().primary();
    c.reference('method_id', 'shipping_methods', 'CASCADE').notNullable();
    c.big('min', 0).notNullable();
    c.big('max', 0);
    c.big('price_cents', 0).notNullable();
    c.big('per_unit_cents', 0).notNullable();
    t.unique(['method_id', 'min']);
  });
}
