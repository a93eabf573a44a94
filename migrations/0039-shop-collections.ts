import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Choices of products, by hand or by rules (storefront-domain 4.1). Those of rules are asked for, not stored. */
export const m0039ShopCollections: Migration = {
  name: '0039-shop-collections',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'collections', (c, t) => {
      c.id().primary();
      for (const name of ['title', 'slug', 'kind', 'match', 'sort']) c.text(name).notNullable();
      c.json('rules').notNullable();
      for (const name of ['description', 'seo_title', 'seo_description']) c.text(name);
      c.updated();
      t.unique(['slug']);
      t.index(['title']);
    });
    await knex.schema.createTable('collection_products', (t) => {
      const c = columnsOf(t, dialect);
      c.reference('collection_id', 'collections', 'CASCADE').notNullable();
      c.reference('product_id', 'products', 'CASCADE').notNullable();
      c.int('position', 0).notNullable();
      t.primary(['collection_id', 'product_id']);
      t.index(['product_id']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('collection_products');
    await knex.schema.dropTable('collections');
  },
};
