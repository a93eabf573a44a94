import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Browsers in which customers have signed in before: another one is worth an email (storefront-domain 14). */
export const m0080KnownDevices: Migration = {
  name: '0080-known-devices',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'customer_devices', (c, t) => {
      c.id().primary();
      c.reference('customer_id', 'customers').notNullable();
      c.text('token_hash').notNullable();
      c.text('user_agent');
      c.updated();
      t.unique(['customer_id', 'token_hash']);
      t.index(['token_hash']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('customer_devices');
  },
};
