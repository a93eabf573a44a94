import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Mails on their way and those that were sent (storefront-domain 4.15). */
export const m0050EmailLog: Migration = {
  name: '0050-email-log',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'email_log', (c, t) => {
      c.id().primary();
      for (const name of ['template', 'to_address', 'subject', 'locale', 'dedupe_key'])
        c.text(name).notNullable();
      for (const name of ['to_name', 'error', 'message_id', 'related_type', 'related_id', 'values_enc'])
        c.text(name);
      c.choice('status', ['queued', 'sending', 'sent', 'failed', 'suppressed']).notNullable();
      c.int('attempts', 0).notNullable();
      c.int('run', 0).notNullable();
      c.flag('is_secret', false);
      for (const name of ['next_attempt_at', 'sent_at', 'ended_at']) c.time(name);
      c.updated();
      t.unique(['dedupe_key']);
      t.index(['created_at']);
      t.index(['status', 'created_at']);
      t.index(['template', 'created_at']);
      t.index(['to_address']);
      t.index(['related_id']);
      t.index(['ended_at']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('email_log');
  },
};
