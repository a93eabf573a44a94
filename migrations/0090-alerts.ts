import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What operators were told of: once when it began, and once when it was over, whichever server saw it. */
export const m0090Alerts: Migration = {
  name: '0090-alerts',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'alerts', (c) => {
      c.id().primary();
      c.text('key').notNullable();
      c.text('title').notNullable();
      c.text('message').notNullable();
      c.text('hint');
      c.time('absent_since');
      c.time('ended_at');
    });
    await knex.raw('CREATE UNIQUE INDEX alerts_open ON alerts (key) WHERE ended_at IS NULL');
    await knex.raw('CREATE INDEX alerts_created_at_index ON alerts (created_at)');
  },
  async down(knex) {
    await knex.schema.dropTable('alerts');
  },
};
