import { columnsOf } from '../src/kernel/db/columns.ts';
import { fullTextTable } from '../src/kernel/db/full-text.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What of its words a search finds a product by (storefront-domain 4.1). A server fills it when it starts. */
const terms = {
  table: 'product_search_terms',
  fields: ['exact', 'title', 'names', 'body'],
  levels: {
    exact: ['exact'],
    title: ['title'],
    names: ['title', 'names'],
    everything: ['title', 'names', 'body'],
  },
  of: { table: 'product_search', name: 'product_id' },
} as const;

export const m0041ShopSearch: Migration = {
  name: '0041-shop-search',
  async up(knex, dialect) {
    await knex.schema.createTable('product_search', (t) => {
      const c = columnsOf(t, dialect);
      // The key, and on SQLite the place of the row: a search looks it up for each hit.
      c.int('number', 1).notNullable().primary();
      c.id('product_id').unique();
      c.big('version', 0).notNullable();
      c.int('form', 0).notNullable();
      c.text('words').notNullable();
    });
    await knex.schema.createTable('product_search_words', (t) => {
      const c = columnsOf(t, dialect);
      c.text('word').primary();
      c.text('spelling').notNullable();
      c.big('uses', 0).notNullable();
    });
    await knex.schema.createTable('product_search_grams', (t) => {
      const c = columnsOf(t, dialect);
      c.text('gram').notNullable();
      c.text('word').notNullable();
      t.primary(['gram', 'word']);
      t.index(['word']);
    });
    for (const sql of fullTextTable(dialect, terms)) await knex.raw(sql);
  },
  async down(knex) {
    for (const table of [
      'product_search_terms',
      'product_search_grams',
      'product_search_words',
      'product_search',
    ])
      await knex.schema.dropTable(table);
  },
};
