import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Pictures, and which of them products show (storefront-domain 4.1). */
export const m0032Media: Migration = {
  name: '0032-media',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'media', (c, t) => {
      c.id().primary();
      for (const name of ['file_name', 'mime', 'sha256', 'storage_key']) c.text(name).notNullable();
      c.big('bytes', 1).notNullable();
      c.int('width', 0).notNullable();
      c.int('height', 0).notNullable();
      for (const name of ['alt', 'folder', 'blur_data', 'failure', 'uploaded_by']) c.text(name);
      c.json('variants');
      c.int('version', 1).notNullable();
      c.int('focal_x', 0, 100).notNullable();
      c.int('focal_y', 0, 100).notNullable();
      c.int('quality', 1, 100);
      c.choice('status', ['processing', 'ready', 'failed']).notNullable();
      c.updated();
      t.unique(['sha256']);
      t.index(['status', 'created_at']);
      t.index(['created_at']);
      t.index(['folder']);
    });
    await knex.schema.createTable('product_media', (t) => {
      const c = columnsOf(t, dialect);
      c.reference('product_id', 'products', 'CASCADE').notNullable();
      c.reference('media_id', 'media').notNullable();
      c.text('variant_id').references('id').inTable('product_variants').onDelete('SET NULL');
      c.text('alt');
      c.int('position', 0).notNullable();
      t.primary(['product_id', 'media_id']);
      t.index(['media_id']);
      t.index(['variant_id']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('product_media');
    await knex.schema.dropTable('media');
  },
};
