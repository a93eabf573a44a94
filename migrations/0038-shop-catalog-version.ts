import type { Migration } from '../src/kernel/db/migrate.ts';

/** Rises with every change of a product: what lists of the shop keep in memory is made anew then. */
export const m0038ShopCatalogVersion: Migration = {
  name: '0038-shop-catalog-version',
  async up(knex) {
    await knex('counters').insert({ name: 'shop_catalog', value: 0 });
  },
  async down(knex) {
    await knex('counters').where({ name: 'shop_catalog' }).delete();
  },
};
