import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Each of several servers judges its own machine, and says so each minute: one that is gone leaves no alert open. */
export const m0092AlertServers: Migration = {
  name: '0092-alert-servers',
  async up(knex, dialect) {
    await knex.schema.alterTable('alerts', (t) => {
      columnsOf(t, dialect).text('server');
    });
    await createTable(knex, dialect, 'alert_servers', (c) => {
      c.text('name').notNullable().primary();
      c.time('heard_at').notNullable();
    });
  },
  async down(knex) {
    await knex.schema.dropTable('alert_servers');
    await knex.raw('ALTER TABLE alerts DROP COLUMN server');
  },
};
