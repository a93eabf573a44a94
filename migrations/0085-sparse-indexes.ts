import type { DialectName, Knex } from '../src/kernel/db/database.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';
import { tellIndexes } from '../src/kernel/db/proportions.ts';

/** Index, table and column: of most rows the column is empty. */
const SPARSE = [
  ['licenses_policy_id_index', 'licenses', 'policy_id'],
  ['license_mints_next_attempt_at_index', 'license_mints', 'next_attempt_at'],
] as const;

/** An index that leaves out the rows without a value costs nothing where a license is made: each page that it writes counts. */
export const m0085SparseIndexes: Migration = {
  name: '0085-sparse-indexes',
  up: (knex, dialect) => remade(knex, dialect, true),
  down: (knex, dialect) => remade(knex, dialect, false),
};

async function remade(knex: Knex, dialect: DialectName, isSparse: boolean): Promise<void> {
  for (const [name, table, column] of SPARSE) {
    await knex.raw(`DROP INDEX ${name}`);
    const where = isSparse ? ` WHERE ${column} IS NOT NULL` : '';
    await knex.raw(`CREATE INDEX ${name} ON ${table} (${column})${where}`);
  }
  const policies = isSparse ? { rows: 20_000, same: [5000] } : ([20_000] as const);
  await tellIndexes(knex, dialect, {
    licenses: { rows: 100_000, indexes: { licenses_policy_id_index: policies } },
  });
}
