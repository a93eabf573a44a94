import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Certificates of an authority and what it is told meanwhile: servers of one database share them. */
export const m0091TlsCertificates: Migration = {
  name: '0091-tls-certificates',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'tls_certificates', (c) => {
      c.text('name').notNullable().primary();
      c.text('directory').notNullable();
      c.text('chain');
      c.text('key_enc');
      c.time('begins_at');
      c.time('ends_at');
      c.int('failures', 0).notNullable();
      c.text('last_error');
      c.time('next_attempt_at');
      c.updated();
    });
    await createTable(knex, dialect, 'acme_challenges', (c, t) => {
      c.choice('type', ['http-01', 'tls-alpn-01']).notNullable();
      c.text('subject').notNullable();
      c.text('answer').notNullable();
      t.primary(['type', 'subject']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('acme_challenges');
    await knex.schema.dropTable('tls_certificates');
  },
};
