import { createTable } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import { inKeyOrder } from '../src/kernel/db/dialect.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const GOODS = [
  'orders',
  'units',
  'gross_cents',
  'discount_cents',
  'tax_cents',
  'total_cents',
  'refunded_units',
  'refunds_cents',
];

/** Figures of all products together, months in the order of products and customers, and reports by email (decision 0093). */
export const m0074ReportSchedules: Migration = {
  name: '0074-report-schedules',
  async up(knex, dialect) {
    await makeGoods(knex, dialect);
    for (const [table, keys] of [
      ['report_products', 'product_id, variant_id'],
      ['report_customers', 'customer_id'],
    ])
      await knex.raw(
        `CREATE INDEX ${table}_months ON ${table} (currency, ${keys}, period, total_cents) WHERE grain = 'month'`,
      );
    // The next run of the job counts all orders again: the days of no zone are those of none.
    await knex('report_state').update({ zone: '' });
    await createTable(knex, dialect, 'report_schedules', (c, t) => {
      c.id().primary();
      c.text('report').notNullable();
      c.choice('every', ['day', 'week', 'month']).notNullable();
      c.int('hour', 0, 23).notNullable();
      c.json('recipients').notNullable();
      c.text('compare');
      c.flag('is_on', true);
      c.text('created_by');
      c.time('next_at');
      c.time('sent_at');
      c.updated();
      t.index(['next_at']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('report_schedules');
    for (const table of ['report_products', 'report_customers']) await knex.raw(`DROP INDEX ${table}_months`);
    await knex.schema.dropTable('report_goods');
  },
};

/** As the other tables of sums are. */
async function makeGoods(knex: Schema, dialect: DialectName): Promise<void> {
  const made = knex.schema.createTable('report_goods', (t) => {
    for (const name of ['grain', 'period', 'currency']) t.text(name).notNullable();
    for (const sum of GOODS) t.bigInteger(sum).notNullable();
    t.primary(['grain', 'period', 'currency']);
    t.check("grain IN ('day', 'month')");
  });
  for (const { sql } of made.toSQL()) await knex.raw(sql + inKeyOrder(dialect));
}
