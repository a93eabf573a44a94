import { createTable } from '../src/kernel/db/columns.ts';
import { appendOnlyTriggers, dropAppendOnly } from '../src/kernel/db/dialect.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** A row goes with the person who agreed: an erased customer, a subscriber whom staff removed. */
const GONE = `NOT EXISTS (SELECT 1 FROM customers WHERE id = OLD.customer_id AND status <> 'anonymised')
  AND NOT EXISTS (SELECT 1 FROM newsletter_subscribers WHERE id = OLD.subscriber_id)`;

/** What customers keep in the shop, what they agreed to, and who was erased (storefront-domain 4.3). */
export const m0075CustomersOwn: Migration = {
  name: '0075-customers-own',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'customer_addresses', (c, t) => {
      c.id().primary();
      c.reference('customer_id', 'customers').notNullable();
      for (const name of ['label', 'first_name', 'last_name', 'company', 'line2', 'state']) c.text(name);
      for (const name of ['postal_code', 'phone']) c.text(name);
      for (const name of ['line1', 'city', 'country']) c.text(name).notNullable();
      c.flag('is_default_shipping', false);
      c.flag('is_default_billing', false);
      c.updated();
      t.index(['customer_id', 'created_at']);
    });
    for (const kind of ['shipping', 'billing'])
      await knex.raw(
        `CREATE UNIQUE INDEX customer_addresses_default_${kind} ON customer_addresses (customer_id) WHERE is_default_${kind} = TRUE`,
      );
    await createTable(knex, dialect, 'customer_consents', (c, t) => {
      c.id().primary();
      for (const name of ['customer_id', 'subscriber_id', 'text', 'locale', 'ip', 'user_agent', 'actor'])
        c.text(name);
      c.text('source').notNullable();
      c.choice('actor_type', ['customer', 'staff', 'system']).notNullable();
      c.flag('granted', false);
      t.check('customer_id IS NOT NULL OR subscriber_id IS NOT NULL');
      t.index(['customer_id', 'created_at']);
      t.index(['subscriber_id', 'created_at']);
    });
    for (const sql of appendOnlyTriggers(dialect, 'customer_consents', GONE)) await knex.raw(sql);
    await createTable(knex, dialect, 'customer_erasures', (c) => {
      c.text('customer_id').primary();
      c.choice('asked_by', ['customer', 'staff', 'system']).notNullable();
      c.time('finished_at');
      c.updated();
    });
    await knex.raw(
      'CREATE INDEX customer_erasures_open ON customer_erasures (created_at) WHERE finished_at IS NULL',
    );
  },
  async down(knex, dialect) {
    await knex.schema.dropTable('customer_erasures');
    await knex.schema.dropTable('customer_consents');
    for (const sql of dropAppendOnly(dialect, 'customer_consents')) await knex.raw(sql);
    await knex.schema.dropTable('customer_addresses');
  },
};
