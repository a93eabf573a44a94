import { columnsOf } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Upper ends of the steps in which durations are counted, in milliseconds; what takes longer is counted as `ms_more`. */
const STEPS = [1, 2, 5, 10, 25, 50, 100, 250, 1000, 5000];

/** Calls of each API key by the hour, and how long those of a tenant took by the day: pages never read the request log for it. */
export const m0028Calls: Migration = {
  name: '0028-calls',
  async up(knex, dialect) {
    await knex.schema.createTable('license_key_hours', (t) => {
      const c = columnsOf(t, dialect);
      c.reference('api_key_id', 'api_keys', 'CASCADE').notNullable();
      c.text('hour').notNullable();
      for (const counter of ['calls', 'failed']) c.big(counter, 0).notNullable();
      t.primary(['api_key_id', 'hour']);
    });
    await knex.schema.createTable('license_call_days', (t) => {
      const c = columnsOf(t, dialect);
      c.reference('tenant_id', 'license_tenants', 'CASCADE').notNullable();
      c.text('day').notNullable();
      for (const counter of ['calls', 'failed', ...STEPS.map((step) => `ms${step}`), 'ms_more'])
        c.big(counter, 0).notNullable();
      t.primary(['tenant_id', 'day']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('license_call_days');
    await knex.schema.dropTable('license_key_hours');
  },
};
