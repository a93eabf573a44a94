import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What checks that take long found last: every process shows it, and a restart does not forget it. */
export const m0087CheckResults: Migration = {
  name: '0087-check-results',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'check_results', (c) => {
      c.text('check_id').notNullable().primary();
      c.choice('status', ['ok', 'warn', 'fail', 'skip']).notNullable();
      c.text('message').notNullable();
      c.text('hint');
      c.flag('is_trouble', false);
      c.int('ms', 0).notNullable();
    });
  },
  async down(knex) {
    await knex.schema.dropTable('check_results');
  },
};
