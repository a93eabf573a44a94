import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Files that buyers may download, as they were when they were paid (fulfilment 2). */
export const m0083DownloadGrants: Migration = {
  name: '0083-download-grants',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'download_grants', (c, t) => {
      c.id().primary();
      c.reference('order_id', 'orders').notNullable();
      c.reference('order_item_id', 'order_items', 'CASCADE').notNullable();
      c.text('digital_file_id').notNullable();
      c.choice('kind', ['upload', 'license_release']).notNullable();
      c.text('file_name').notNullable();
      for (const name of ['storage_key', 'sha256', 'release_channel']) c.text(name);
      c.big('bytes', 0).notNullable();
      c.int('downloads_used', 0).notNullable();
      c.int('max_downloads', 1);
      for (const name of ['expires_at', 'revoked_at', 'last_download_at']) c.time(name);
      c.updated();
      t.unique(['order_item_id', 'digital_file_id']);
      t.index(['order_id']);
      t.index(['sha256']);
      t.check('max_downloads IS NULL OR downloads_used <= max_downloads');
      t.check(
        "(kind = 'upload' AND storage_key IS NOT NULL AND sha256 IS NOT NULL) OR (kind = 'license_release' AND release_channel IS NOT NULL)",
      );
    });
  },
  async down(knex) {
    await knex.schema.dropTable('download_grants');
  },
};
