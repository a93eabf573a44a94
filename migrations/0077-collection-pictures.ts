import type { Migration } from '../src/kernel/db/migrate.ts';

/** The picture of a collection (storefront-domain 4.1). */
export const m0077CollectionPictures: Migration = {
  name: '0077-collection-pictures',
  async up(knex) {
    await knex.raw('ALTER TABLE collections ADD COLUMN media_id text REFERENCES media (id)');
    await knex.raw('CREATE INDEX collections_media ON collections (media_id)');
  },
  async down(knex) {
    await knex.raw('DROP INDEX collections_media');
    await knex.raw('ALTER TABLE collections DROP COLUMN media_id');
  },
};
