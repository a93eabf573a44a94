import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Who was refused by which rate limit, and how often: a launch that runs into a limit must not do so in silence. */
export const m0008LimitRefusals: Migration = {
  name: '0008-limit-refusals',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'limit_refusals', (c, t) => {
      c.choice('service', ['license', 'store']).notNullable();
      c.text('bucket').notNullable();
      // `other` collects the addresses that found no room; its subject is empty.
      c.choice('kind', ['api_key', 'address', 'other']).notNullable();
      c.text('subject').notNullable();
      c.big('count', 1).notNullable();
      c.big('max', 0).notNullable();
      c.int('window_seconds', 1).notNullable();
      c.time('first_at').notNullable();
      c.time('last_at').notNullable();
      t.primary(['service', 'bucket', 'kind', 'subject']);
    });
    await knex.schema.alterTable('license_requests', (t) => {
      columnsOf(t, dialect).text('bucket');
    });
  },
  async down(knex) {
    await knex.raw('ALTER TABLE license_requests DROP COLUMN bucket');
    await knex.schema.dropTable('limit_refusals');
  },
};
