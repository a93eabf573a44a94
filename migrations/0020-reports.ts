import { columnsOf } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What was asked of the licenses of a product on a day: charts read a few rows a day instead of one of each license. */
export const m0020Reports: Migration = {
  name: '0020-reports',
  async up(knex, dialect) {
    await knex.schema.createTable('license_daily_totals', (t) => {
      const c = columnsOf(t, dialect);
      c.reference('product_id', 'license_products', 'CASCADE').notNullable();
      c.text('day').notNullable();
      for (const counter of ['validations', 'denials', 'heartbeats']) c.big(counter, 0).notNullable();
      t.primary(['product_id', 'day']);
    });
    await knex.raw(`INSERT INTO license_daily_totals (product_id, day, validations, denials, heartbeats)
      SELECT l.product_id, s.day, CAST(sum(s.validations) AS bigint), CAST(sum(s.denials) AS bigint),
        CAST(sum(s.heartbeats) AS bigint)
      FROM license_stats s JOIN licenses l ON l.id = s.license_id GROUP BY 1, 2`);
    // The renewals of the terms that ended in a time, without a look at any other event.
    await knex.raw(
      `CREATE INDEX events_renewed ON events (tenant_id, (${renewedTerm[dialect]})) WHERE type = 'LICENSE_RENEWED'`,
    );
  },
  async down(knex) {
    await knex.raw('DROP INDEX events_renewed');
    await knex.schema.dropTable('license_daily_totals');
  },
};

/** The end of the term that a renewal followed. */
const renewedTerm = {
  sqlite: "json_extract(data, '$.details.previousValidUntil')",
  postgres: "data #>> '{details,previousValidUntil}'",
} as const;
