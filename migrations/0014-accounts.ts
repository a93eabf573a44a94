import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Second factors, one-time links, and passwords that somebody else chose (decision 0048). */
export const m0014Accounts: Migration = {
  name: '0014-accounts',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'second_factors', (c, t) => {
      // An account of staff now, one of a customer with the shop: ids differ by their prefix.
      c.text('subject_id').primary();
      c.text('secret_enc').notNullable();
      // Set by the first code: until then it is asked for at no sign-in.
      c.time('enabled_at');
      // The 30 seconds of the code that was used last: no code counts twice.
      t.integer('last_step').notNullable().defaultTo(0);
    });
    await createTable(knex, dialect, 'recovery_codes', (c, t) => {
      c.text('subject_id').notNullable();
      c.text('code_hash').notNullable();
      c.time('used_at');
      t.primary(['subject_id', 'code_hash']);
    });
    await createTable(knex, dialect, 'one_time_tokens', (c, t) => {
      c.id().primary();
      c.text('purpose').notNullable();
      // SHA-256 of what the link carries: a copy of the database opens none.
      c.text('token_hash').notNullable().unique();
      c.text('subject_id').notNullable();
      c.json('data').notNullable();
      c.time('expires_at').notNullable();
      c.time('used_at');
      c.time('revoked_at');
      c.text('created_ip');
      t.index(['subject_id', 'purpose']);
      t.index(['expires_at']);
    });
    await knex.schema.alterTable('admin_users', (t) => {
      columnsOf(t, dialect).flag('must_change_password', false);
    });
  },
  async down(knex) {
    for (const table of ['second_factors', 'recovery_codes', 'one_time_tokens'])
      await knex.schema.dropTable(table);
    await knex.raw('ALTER TABLE admin_users DROP COLUMN must_change_password');
  },
};
