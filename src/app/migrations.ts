import type { Migration } from '#kernel/db/migrate.ts';
import * as steps from '../../migrations/index.ts';

/** The steps of the schema, in the order of their numbers. */
export const migrations: readonly Migration[] = Object.values(steps).sort((a, b) =>
  a.name < b.name ? -1 : 1,
);
