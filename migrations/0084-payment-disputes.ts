import type { Migration } from '../src/kernel/db/migrate.ts';

/** What became of a dispute about a payment: while one is open nothing of its order is delivered. */
export const m0084PaymentDisputes: Migration = {
  name: '0084-payment-disputes',
  async up(knex) {
    await knex.raw(
      "ALTER TABLE payments ADD COLUMN dispute text CHECK (dispute IS NULL OR dispute IN ('open', 'won', 'lost'))",
    );
  },
  async down(knex) {
    await knex.raw('ALTER TABLE payments DROP COLUMN dispute');
  },
};
