import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Views of lists that staff saved, and how each of them wants a list to open (admin.md 2.1). */
export const m0026SavedViews: Migration = {
  name: '0026-saved-views',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'saved_views', (c, t) => {
      c.id().primary();
      c.reference('tenant_id', 'license_tenants').notNullable();
      c.reference('admin_user_id', 'admin_users', 'CASCADE').notNullable();
      c.text('list').notNullable();
      c.text('name').notNullable();
      c.text('query').notNullable();
      c.flag('is_shared', false);
      c.updated();
      t.unique(['tenant_id', 'list', 'admin_user_id', 'name'], { indexName: 'saved_views_named' });
    });
    await createTable(knex, dialect, 'staff_lists', (c, t) => {
      c.reference('admin_user_id', 'admin_users', 'CASCADE').notNullable();
      c.reference('tenant_id', 'license_tenants').notNullable();
      c.text('list').notNullable();
      c.text('view_id');
      c.text('columns');
      c.updated();
      t.primary(['admin_user_id', 'tenant_id', 'list']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('staff_lists');
    await knex.schema.dropTable('saved_views');
  },
};
