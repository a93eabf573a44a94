import { createTable } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** How often somebody, an address or a card has tried to pay lately (decision 0075). */
export const m0063PaymentTries: Migration = {
  name: '0063-payment-tries',
  async up(knex, dialect) {
    await createTable(knex, dialect, 'payment_tries', (c, t) => {
      c.text('key').notNullable().primary();
      c.choice('kind', ['email', 'ip', 'card']).notNullable();
      for (const name of ['points', 'declines', 'refused']) c.int(name, 0).notNullable();
      c.time('ends_at').notNullable();
      t.index(['ends_at']);
    });
  },
  async down(knex) {
    await knex.schema.dropTable('payment_tries');
  },
};
