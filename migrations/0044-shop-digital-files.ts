import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Files that buyers of a variant may download (storefront-domain 4.1). */
export const m0044ShopDigitalFiles: Migration = {
  name: '0044-shop-digital-files',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'digital_files', (c, t) => {
      c.id().primary();
      c.reference('variant_id', 'product_variants', 'CASCADE').notNullable();
      c.choice('kind', ['upload', 'license_release']).notNullable();
      c.text('name').notNullable();
      for (const name of ['storage_key', 'sha256', 'mime', 'release_channel']) c.text(name);
      c.big('bytes', 0).notNullable();
      c.int('max_downloads', 1);
      c.int('expires_days', 1);
      c.int('position', 0).notNullable();
      c.updated();
      t.index(['variant_id', 'position']);
      t.index(['sha256']);
      t.check(
        "(kind = 'upload' AND storage_key IS NOT NULL AND sha256 IS NOT NULL) OR (kind = 'license_release' AND release_channel IS NOT NULL)",
      );
    });
  },
  async down(knex) {
    await knex.schema.dropTable('digital_files');
  },
};
