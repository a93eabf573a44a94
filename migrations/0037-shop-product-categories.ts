import { columnsOf } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Which products stand in which category, and in which order (storefront-domain 4.1). */
export const m0037ShopProductCategories: Migration = {
  name: '0037-shop-product-categories',
  async up(knex, dialect) {
    await knex.schema.createTable('product_categories', (t) => {
      const c = columnsOf(t, dialect);
      c.reference('category_id', 'categories', 'CASCADE').notNullable();
      c.reference('product_id', 'products', 'CASCADE').notNullable();
      c.int('position', 0).notNullable();
      t.primary(['category_id', 'product_id']);
      t.index(['product_id']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('product_categories');
  },
};
