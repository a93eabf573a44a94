import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** What staff asked for with an Idempotency-Key, and what they were answered (decision 0057). */
export const m0022IdempotencyKeys: Migration = {
  name: '0022-idempotency-keys',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'idempotency_keys', (c, t) => {
      c.text('tenant_id').notNullable();
      // Who asked, and which operation for.
      c.text('scope').notNullable();
      c.text('key').notNullable();
      // Keyed: a body may hold a password.
      c.text('request_hash').notNullable();
      // Sealed: an answer may hold a secret that is shown once. Null until it is known.
      c.text('answer');
      t.primary(['tenant_id', 'scope', 'key']);
      t.index(['created_at']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('idempotency_keys');
  },
};
