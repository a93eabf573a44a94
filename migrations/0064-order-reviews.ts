import type { Migration } from '../src/kernel/db/migrate.ts';

/** Orders that staff look at before they go on (decision 0075): most have none, and the list reads those that wait. */
export const m0064OrderReviews: Migration = {
  name: '0064-order-reviews',
  async up(knex) {
    await knex.raw(
      "ALTER TABLE orders ADD COLUMN review text CHECK (review IN ('waiting', 'approved', 'rejected'))",
    );
    await knex.raw("CREATE INDEX orders_to_review ON orders (placed_at) WHERE review = 'waiting'");
  },
  async down(knex) {
    await knex.raw('DROP INDEX orders_to_review');
    await knex.raw('ALTER TABLE orders DROP COLUMN review');
  },
};
