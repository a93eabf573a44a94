import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What people write to the shop, and who wants its newsletter (storefront-domain 13). */
export const m0045ShopMailIn: Migration = {
  name: '0045-shop-mail-in',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'contact_messages', (c, t) => {
      c.id().primary();
      for (const name of ['email', 'message', 'locale']) c.text(name).notNullable();
      for (const name of ['name', 'subject']) c.text(name);
      c.choice('status', ['open', 'done']).notNullable();
      c.time('done_at');
      c.updated();
      t.index(['created_at']);
      t.index(['status', 'created_at']);
      t.index(['done_at']);
    });
    await createTable(knex, dialect, 'newsletter_subscribers', (c, t) => {
      c.id().primary();
      for (const name of ['email', 'email_norm', 'locale', 'consent_text']) c.text(name).notNullable();
      c.choice('status', ['pending', 'confirmed', 'unsubscribed']).notNullable();
      c.time('consent_at').notNullable();
      c.time('confirmed_at');
      c.time('unsubscribed_at');
      c.updated();
      t.unique(['email_norm']);
      t.index(['created_at']);
      t.index(['status', 'created_at']);
    });
  },
  async down(knex) {
    for (const table of ['newsletter_subscribers', 'contact_messages']) await knex.schema.dropTable(table);
  },
};
