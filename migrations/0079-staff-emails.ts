import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Which emails members of staff do not want, and addresses that mail servers refused for good (decision 0087). */
export const m0079StaffEmails: Migration = {
  name: '0079-staff-emails',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'staff_email_choices', (c, t) => {
      c.reference('admin_user_id', 'admin_users', 'CASCADE').notNullable();
      c.text('mail').notNullable();
      c.flag('is_wanted', true);
      c.updated();
      t.primary(['admin_user_id', 'mail']);
    });
    await createTable(knex, dialect, 'email_blocks', (c, t) => {
      c.id().primary();
      for (const name of ['address', 'address_norm', 'reason']) c.text(name).notNullable();
      c.text('email_id');
      c.updated();
      t.unique(['address_norm']);
      t.index(['created_at']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('email_blocks');
    await knex.schema.dropTable('staff_email_choices');
  },
};
