import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Words of mails that staff wrote, and mails that staff switched on or off (storefront-domain 4.15). */
export const m0072EmailTemplates: Migration = {
  name: '0072-email-templates',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'email_templates', (c, t) => {
      for (const name of ['key', 'locale', 'subject', 'body_html']) c.text(name).notNullable();
      c.text('body_text');
      c.text('updated_by');
      c.updated();
      t.primary(['key', 'locale']);
    });
    await createTable(knex, dialect, 'email_switches', (c) => {
      c.text('key').notNullable().primary();
      c.flag('is_on', true);
      c.text('updated_by');
      c.updated();
    });
  },
  async down(knex) {
    await knex.schema.dropTable('email_switches');
    await knex.schema.dropTable('email_templates');
  },
};
