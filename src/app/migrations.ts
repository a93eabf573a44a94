import type { Migration } from '#kernel/db/migrate.ts';
import { steps } from '../../migrations/index.ts';

/** A step that can be undone and is loaded when it is run. */
const onFirstUse = (name: string, load: () => Promise<Migration>): Migration => ({
  name,
  up: async (knex, dialect) => (await load()).up(knex, dialect),
  down: async (knex, dialect) => {
    const { down } = await load();
    // The list says that every step can be undone; a test holds it to that.
    if (!down) throw new Error(`${name} cannot be reverted`);
    await down(knex, dialect);
  },
});

/** The steps of the schema, in the order of their numbers. */
export const migrations: readonly Migration[] = Object.entries(steps)
  .map(([name, load]) => onFirstUse(name, load))
  .sort((a, b) => (a.name < b.name ? -1 : 1));
