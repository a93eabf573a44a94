import type { Migration } from '../src/kernel/db/migrate.ts';

/** The time zone in which somebody of the staff wants to read times. */
export const m0078StaffTimezone: Migration = {
  name: '0078-staff-timezone',
  async up(knex) {
    await knex.schema.alterTable('admin_users', (t) => {
      t.string('timezone', 64);
    });
  },
  async down(knex) {
    await knex.schema.alterTable('admin_users', (t) => {
      t.dropColumn('timezone');
    });
  },
};
