import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** How the panel looks and behaves for each member of staff (admin.md 2.1, 4). */
export const m0025StaffPreferences: Migration = {
  name: '0025-staff-preferences',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'staff_preferences', (c) => {
      c.reference('admin_user_id', 'admin_users', 'CASCADE').notNullable().primary();
      c.choice('theme', ['SYSTEM', 'LIGHT', 'DARK']).notNullable();
      c.choice('density', ['COMFORTABLE', 'COMPACT']).notNullable();
      c.flag('single_keys', true);
      c.updated();
    });
  },
  async down(knex) {
    await knex.schema.dropTable('staff_preferences');
  },
};
