import { columnsOf } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

type Schema = Parameters<Migration['up']>[0];

const OF_CUSTOMERS = [
  'email_verified_at',
  'password_hash',
  'birthday',
  'marketing_token',
  'tax_id',
  'tags',
  'session_generation',
  'failed_logins',
  'locked_until',
  'last_login_at',
  'deleted_at',
];
const OF_SESSIONS = ['customer_generation', 'customer_pending', 'is_remembered'];

/** Accounts of customers (storefront-domain 4.3), and the sessions in which they are signed in (decision 0083). */
export const m0066CustomerAccounts: Migration = {
  name: '0066-customer-accounts',
  async up(knex, dialect) {
    await changeCustomers(knex, dialect);
    await knex.schema.alterTable('sessions', (t) => {
      t.integer('customer_generation');
      columnsOf(t, dialect).flag('customer_pending', false);
      columnsOf(t, dialect).flag('is_remembered', false);
    });
  },
  async down(knex) {
    for (const column of OF_SESSIONS) await knex.raw('ALTER TABLE sessions DROP COLUMN ??', [column]);
    await knex.raw('DROP INDEX customers_marketing_token');
    for (const column of OF_CUSTOMERS) await knex.raw('ALTER TABLE customers DROP COLUMN ??', [column]);
  },
};

async function changeCustomers(knex: Schema, dialect: DialectName): Promise<void> {
  await knex.schema.alterTable('customers', (t) => {
    const c = columnsOf(t, dialect);
    for (const name of ['password_hash', 'birthday', 'marketing_token', 'tax_id']) c.text(name);
    for (const name of ['email_verified_at', 'locked_until', 'last_login_at', 'deleted_at']) c.time(name);
    c.json('tags').notNullable().defaultTo('[]');
    // Raised by whatever ends the sessions of a customer.
    for (const name of ['session_generation', 'failed_logins']) t.integer(name).notNullable().defaultTo(0);
  });
  await knex.raw(
    'CREATE UNIQUE INDEX customers_marketing_token ON customers (marketing_token) WHERE marketing_token IS NOT NULL',
  );
}
