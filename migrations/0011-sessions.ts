import { columnsOf, createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Sessions of browsers, and what an account needs to know of signing in (decision 0037). */
export const m0011Sessions: Migration = {
  name: '0011-sessions',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'sessions', (c, t) => {
      c.id().primary();
      // SHA-256 of what the cookie carries: a copy of the database opens no session.
      c.text('token_hash').notNullable().unique();
      c.choice('kind', ['guest', 'user']).notNullable();
      c.reference('admin_user_id', 'admin_users', 'CASCADE');
      // Of the account when it signed in: the session ends as soon as the account has another one.
      t.integer('admin_generation');
      c.text('customer_id');
      c.text('cart_id');
      c.flag('two_factor_pending', false);
      c.json('data').notNullable();
      c.text('ip');
      c.text('user_agent');
      c.time('last_seen_at').notNullable();
      t.index(['admin_user_id']);
      t.index(['customer_id']);
      t.index(['last_seen_at']);
      t.index(['created_at']);
    });
    await knex.schema.alterTable('admin_users', (t) => {
      // Raised by whatever ends the sessions of an account: a new password, for example.
      t.integer('session_generation').notNullable().defaultTo(0);
      t.integer('failed_sign_ins').notNullable().defaultTo(0);
      columnsOf(t, dialect).time('locked_until');
    });
  },
  async down(knex) {
    await knex.schema.dropTable('sessions');
    for (const column of ['session_generation', 'failed_sign_ins', 'locked_until'])
      await knex.raw('ALTER TABLE admin_users DROP COLUMN ??', [column]);
  },
};
