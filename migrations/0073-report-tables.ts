import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import { inKeyOrder } from '../src/kernel/db/dialect.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const DAILY: Readonly<Record<string, readonly [keys: readonly string[], sums: readonly string[]]>> = {
  report_sales: [
    ['source'],
    [
      'orders',
      'cancelled',
      'units',
      'gross_cents',
      'discount_cents',
      'shipping_cents',
      'tax_cents',
      'total_cents',
      'refunds_cents',
      'gift_cards_cents',
      'new_orders',
      'new_total_cents',
    ],
  ],
  report_products: [
    ['product_id', 'variant_id'],
    [
      'orders',
      'units',
      'gross_cents',
      'discount_cents',
      'tax_cents',
      'total_cents',
      'refunded_units',
      'refunds_cents',
    ],
  ],
  report_countries: [['country'], ['orders', 'total_cents', 'tax_cents', 'refunds_cents']],
  report_promotions: [['promotion_id'], ['orders', 'discount_cents', 'total_cents']],
  report_taxes: [
    ['country', 'state', 'name', 'ppm'],
    ['base_cents', 'tax_cents', 'refunded_cents'],
  ],
  report_payments: [['processor'], ['payments', 'takings_cents', 'refunds', 'refunds_cents']],
  report_customers: [['customer_id'], ['orders', 'total_cents', 'refunds_cents']],
};

/** Figures of the shop by day, kept from what orders say (decision 0088). */
export const m0073ReportTables: Migration = {
  name: '0073-report-tables',
  async up(knex, dialect) {
    for (const name of Object.keys(DAILY)) await makeDaily(knex, dialect, name);
    await createTable(knex, dialect, 'report_changes', (c) => {
      c.id().primary();
      c.id('order_id');
    });
    await createTable(knex, dialect, 'report_orders', (c) => {
      c.id('order_id').primary();
      c.int('round', 0).notNullable();
      c.flag('is_new', false);
      c.json('facts').notNullable();
    });
    await createTable(knex, dialect, 'report_state', (c, t) => {
      c.text('name').notNullable().primary();
      c.text('zone').notNullable();
      c.int('round', 0).notNullable();
      c.big('version', 0).notNullable();
      c.text('after_placed_at');
      c.text('after_id');
      for (const name of ['done', 'total']) c.int(name, 0).notNullable();
      c.time('started_at');
      t.check("name = 'orders'");
    });
    // What was on hand at the end of a day, of every variant: the last movement before it, out of the index alone. Without
    // the id, Postgres takes the index of times for a day on which little had happened, once for each variant.
    await knex.raw('DROP INDEX stock_movements_variant_id_created_at_index');
    await knex.raw(
      'CREATE INDEX stock_movements_last ON stock_movements (variant_id, created_at, id, on_hand_after)',
    );
    // What came in last: how long it has been lying in stock.
    await knex.raw(
      'CREATE INDEX stock_movements_received ON stock_movements (variant_id, created_at) WHERE delta > 0',
    );
  },
  async down(knex) {
    await knex.raw('DROP INDEX stock_movements_received');
    await knex.raw('DROP INDEX stock_movements_last');
    await knex.raw(
      'CREATE INDEX stock_movements_variant_id_created_at_index ON stock_movements (variant_id, created_at)',
    );
    for (const table of ['report_state', 'report_orders', 'report_changes', ...Object.keys(DAILY)])
      await knex.schema.dropTable(table);
  },
};

/** In the order of the key, since that is how all of it is read. No `created_at`: rows are added to as long as their time is. */
async function makeDaily(knex: Schema, dialect: DialectName, name: string): Promise<void> {
  const [keys, sums] = DAILY[name] as (typeof DAILY)[string];
  const made = knex.schema.createTable(name, (t) => {
    t.text('grain').notNullable();
    t.text('period').notNullable();
    t.text('currency').notNullable();
    for (const key of keys) t.text(key).notNullable();
    for (const sum of sums) t.bigInteger(sum).notNullable();
    t.primary(['grain', 'period', 'currency', ...keys]);
    t.check("grain IN ('day', 'month')");
  });
  for (const { sql } of made.toSQL()) await knex.raw(sql + inKeyOrder(dialect));
}
