import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What products are sorted into (storefront-domain 4.1). The column that names media comes with those. */
export const m0034ShopCategories: Migration = {
  name: '0034-shop-categories',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'categories', (c, t) => {
      c.id().primary();
      c.reference('parent_id', 'categories');
      for (const name of ['name', 'slug', 'path']) c.text(name).notNullable();
      c.int('position', 0).notNullable();
      for (const name of ['description', 'seo_title', 'seo_description']) c.text(name);
      c.updated();
      t.unique(['slug']);
      t.index(['path']);
      t.index(['parent_id', 'position']);
      t.index(['position']);
      t.index(['name']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('categories');
  },
};
