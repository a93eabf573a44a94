import { columnsOf } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Calls of each API key by the hour: pages never read the request log for it. */
export const m0028KeyHours: Migration = {
  name: '0028-key-hours',
  async up(knex, dialect) {
    await knex.schema.createTable('license_key_hours', (t) => {
      const c = columnsOf(t, dialect);
      c.reference('api_key_id', 'api_keys', 'CASCADE').notNullable();
      c.text('hour').notNullable();
      for (const counter of ['calls', 'failed']) c.big(counter, 0).notNullable();
      t.primary(['api_key_id', 'hour']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('license_key_hours');
  },
};
