import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Pages that staff write, where their old addresses lead, and what the header and footer list (storefront-domain 4.13). */
export const m0042ShopContent: Migration = {
  name: '0042-shop-content',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'pages', (c, t) => {
      c.id().primary();
      for (const name of ['slug', 'title', 'body_html']) c.text(name).notNullable();
      c.choice('status', ['draft', 'published']).notNullable();
      for (const name of ['body_markdown', 'seo_title', 'seo_description']) c.text(name);
      c.updated();
      t.unique(['slug']);
      t.index(['title']);
      t.index(['updated_at']);
    });
    await createTable(knex, dialect, 'page_redirects', (c, t) => {
      c.text('slug').primary();
      c.reference('page_id', 'pages', 'CASCADE').notNullable();
      t.index(['page_id']);
    });
    await createTable(knex, dialect, 'menus', (c) => {
      c.text('key').primary();
      c.json('items').notNullable();
      c.updated();
    });
  },
  async down(knex) {
    for (const table of ['menus', 'page_redirects', 'pages']) await knex.schema.dropTable(table);
  },
};
