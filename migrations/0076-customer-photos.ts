import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Photos that customers send with returns and reviews, and which emails they want beside those of their orders. */
export const m0076CustomerPhotos: Migration = {
  name: '0076-customer-photos',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'customer_photos', (c, t) => {
      c.id().primary();
      c.reference('customer_id', 'customers').notNullable();
      c.choice('purpose', ['review', 'return', 'certificate']).notNullable();
      for (const name of ['large_key', 'thumbnail_key']) c.text(name).notNullable();
      for (const name of ['width', 'height', 'bytes']) c.int(name, 1).notNullable();
      c.time('kept_until').notNullable();
      c.updated();
      t.index(['customer_id', 'created_at']);
      t.index(['kept_until']);
    });
    await knex.schema.alterTable('customers', (t) => {
      for (const name of ['cart_reminders', 'review_requests']) columnsOf(t, dialect).flag(name, true);
    });
  },
  async down(knex) {
    for (const name of ['cart_reminders', 'review_requests'])
      await knex.raw('ALTER TABLE customers DROP COLUMN ??', [name]);
    await knex.schema.dropTable('customer_photos');
  },
};
