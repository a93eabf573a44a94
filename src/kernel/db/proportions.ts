import type { DialectName, Knex } from './database.ts';

/** Rows of a table, and for each index how many of them share its first column, its first two, and so on. */
export interface Proportions {
  readonly rows: number;
  /** By names of indexes; of a partial one `rows` says how many are in it. */
  readonly indexes: Readonly<Record<string, readonly [same: number, ...same: number[]] | PartialIndex>>;
}

interface PartialIndex {
  readonly rows: number;
  readonly same: readonly number[];
}

/**
 * Tells SQLite how a large installation is proportioned. Left to itself it knows nothing, takes any column for one that
 * few rows share, and reads all licenses of the one tenant along its index where an address names four; and with figures
 * of its own it would plan one way on one machine and another way on the next. Postgres keeps its own (decision 0058).
 * No index is to be read past its first columns, value by value: where few tell apart, that is all of it.
 *
 * @param tables each with all of its indexes: one that is left out looks better than those that are told
 */
export async function tellProportions(
  knex: Knex,
  dialect: DialectName,
  tables: Readonly<Record<string, Proportions>>,
): Promise<void> {
  if (dialect !== 'sqlite') return;
  // The tables of the figures come to be with the first ones: of a table with a row or none.
  await knex.raw('ANALYZE license_tenants');
  await forget(knex, ['license_tenants', ...Object.keys(tables)]);
  await tellIndexes(knex, dialect, tables);
}

/**
 * Tells SQLite of indexes that were made anew, whose figures went with the old ones.
 *
 * @param tables each with these indexes alone
 */
export async function tellIndexes(
  knex: Knex,
  dialect: DialectName,
  tables: Readonly<Record<string, Proportions>>,
): Promise<void> {
  if (dialect !== 'sqlite') return;
  for (const [tbl, { rows, indexes }] of Object.entries(tables))
    for (const [idx, told] of Object.entries(indexes)) {
      const { rows: own, same } = 'same' in told ? told : { rows, same: told };
      await knex('sqlite_stat1').insert({ tbl, idx, stat: [own, ...same, 'noskipscan'].join(' ') });
    }
  await knex.raw('ANALYZE sqlite_schema');
}

/** Takes back what was told of tables. */
export async function forgetProportions(
  knex: Knex,
  dialect: DialectName,
  tables: readonly string[],
): Promise<void> {
  if (dialect !== 'sqlite') return;
  await forget(knex, tables);
  await knex.raw('ANALYZE sqlite_schema');
}

async function forget(knex: Knex, tables: readonly string[]): Promise<void> {
  await knex('sqlite_stat1').whereIn('tbl', tables).delete();
  await knex('sqlite_stat4').whereIn('tbl', tables).delete();
}
