import { columnsOf } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** The time zone in which somebody of the staff wants to read times. */
export const m0078StaffTimezone: Migration = {
  name: '0078-staff-timezone',
  async up(knex, dialect) {
    await knex.schema.alterTable('admin_users', (t) => {
      columnsOf(t, dialect).text('timezone');
    });
  },
  async down(knex) {
    await knex.raw('ALTER TABLE admin_users DROP COLUMN timezone');
  },
};
