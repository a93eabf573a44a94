import type { Migration } from '../src/kernel/db/migrate.ts';

const TABLES = ['categories', 'product_option_values'] as const;

/** The pictures of categories and of option values, such as a fabric (storefront-domain 4.1). */
export const m0047PicturesOfPlaces: Migration = {
  name: '0047-pictures-of-places',
  async up(knex) {
    for (const table of TABLES) {
      await knex.raw(`ALTER TABLE ${table} ADD COLUMN media_id text REFERENCES media (id)`);
      await knex.raw(`CREATE INDEX ${table}_media ON ${table} (media_id)`);
    }
  },
  async down(knex) {
    for (const table of TABLES) {
      await knex.raw(`DROP INDEX ${table}_media`);
      await knex.raw(`ALTER TABLE ${table} DROP COLUMN media_id`);
    }
  },
};
