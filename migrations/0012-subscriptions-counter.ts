import type { Migration } from '../src/kernel/db/migrate.ts';

/** The counter of what receivers have subscribed to bears the name of what it counts, for mails as for webhooks. */
export const m0012SubscriptionsCounter: Migration = {
  name: '0012-subscriptions-counter',
  async up(knex) {
    await knex('counters').where({ name: 'webhooks' }).update({ name: 'subscriptions' });
  },
  async down(knex) {
    await knex('counters').where({ name: 'subscriptions' }).update({ name: 'webhooks' });
  },
};
