import { columnsOf } from '../src/kernel/db/columns.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

/** Until when the session of a guest lasts beside its age: as long as its cart. */
export const m0081KeptSessions: Migration = {
  name: '0081-kept-sessions',
  async up(knex, dialect) {
    await knex.schema.alterTable('sessions', (t) => {
      columnsOf(t, dialect).time('kept_until');
    });
  },
  async down(knex) {
    await knex.raw('ALTER TABLE sessions DROP COLUMN kept_until');
  },
};
