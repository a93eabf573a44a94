import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What the sample data has made, to take away again what nobody has changed. */
export const m0046ShopSample: Migration = {
  name: '0046-shop-sample',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'sample_items', (c, t) => {
      c.id().primary();
      for (const name of ['kind', 'slug', 'mark']) c.text(name).notNullable();
      t.index(['kind', 'created_at']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('sample_items');
  },
};
