import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Which authority each of several servers is configured for: two that differ must not order in turn. */
export const m0093AcmeServers: Migration = {
  name: '0093-acme-servers',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'acme_servers', (c) => {
      c.text('server').notNullable().primary();
      c.text('name').notNullable();
      c.text('directory').notNullable();
      c.time('heard_at').notNullable();
    });
  },
  async down(knex) {
    await knex.schema.dropTable('acme_servers');
  },
};
