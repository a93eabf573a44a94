import type { Migration } from '../src/kernel/db/migrate.ts';

/** Shipping labels that staff upload for a return, beside the addresses of labels elsewhere. */
export const m0070ReturnLabels: Migration = {
  name: '0070-return-labels',
  async up(knex) {
    await knex.raw('ALTER TABLE returns ADD COLUMN label_key text');
  },
  async down(knex) {
    await knex.raw('ALTER TABLE returns DROP COLUMN label_key');
  },
};
