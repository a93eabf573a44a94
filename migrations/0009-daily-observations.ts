import type { Knex } from 'knex';
import { type Columns, columnsOf } from '../src/kernel/db/columns.ts';
import type { DialectName } from '../src/kernel/db/database.ts';
import { inKeyOrder } from '../src/kernel/db/dialect.ts';
import type { Migration } from '../src/kernel/db/migrate.ts';

const KINDS = ['IP_NET', 'MACHINE_TRIED', 'MACHINE_DENIED', 'CHURN', 'LIMIT', 'BEAT_IP'];

/** Columns of license_stats. */
const COUNTERS = ['validations', 'denials', 'heartbeats'];
const OF_DAY = ['license_id', 'day', 'last_validated_at'];

/** What is read for a month, and of the rest the last two days: rules look back a day at most. */
const READ = `kind IN ('CHURN', 'MACHINE_DENIED') OR hour >= coalesce((
  SELECT max(substr(hour, 1, 10)) FROM license_observations
  WHERE hour < (SELECT max(substr(hour, 1, 10)) FROM license_observations)), '')`;

/**
 * What rules count by the minute keeps its minute, with the hour that was part of the key: MM, PAIR.MM, digest.MM. Of
 * digests the first 22 characters of 43 remain; on the way back they stay so short.
 */
const DAILY = `SELECT license_id, substr(hour, 1, 10) AS day, kind, CASE
    WHEN kind = 'LIMIT' OR value LIKE 'PAIR.%'
    THEN substr(value, 1, length(value) - 2) || substr(hour, 12, 2) || ':' || substr(value, length(value) - 1)
    WHEN kind = 'BEAT_IP'
    THEN substr(value, 1, 22) || '.' || substr(hour, 12, 2) || ':' || substr(value, length(value) - 1)
    WHEN kind IN ('IP_NET', 'MACHINE_TRIED') THEN substr(value, 1, 22)
    WHEN kind = 'MACHINE_DENIED' THEN substr(value, 1, length(value) - 21)
    ELSE value END AS value,
  CAST(sum(count) AS bigint) AS count, min(first_at) AS first_at, max(last_at) AS last_at,
  substr(max(last_at), 1, 16) AS noted_at
FROM license_observations WHERE ${READ} GROUP BY 1, 2, 3, 4`;

/** The minute is at the end: `14:05`. */
const HOURLY = `SELECT license_id, substr(first_at, 1, 13) AS hour, kind, CASE
    WHEN kind IN ('LIMIT', 'BEAT_IP') OR value LIKE 'PAIR.%'
    THEN substr(value, 1, length(value) - 5) || substr(value, length(value) - 1)
    ELSE value END AS value, count, first_at, last_at
FROM license_observations`;

/**
 * Observations of a day instead of an hour, and both tables that grow with licenses kept once instead of twice on SQLite
 * (decision 0034).
 */
export const m0009DailyObservations: Migration = {
  name: '0009-daily-observations',
  async up(knex, dialect) {
    await rebuild(knex, 'license_observations', DAILY, () => createDaily(knex, dialect));
    await rebuild(knex, 'license_stats', `SELECT ${COUNTERS}, ${OF_DAY} FROM license_stats`, () =>
      createTable(knex, dialect, 'license_stats', inKeyOrder(dialect), (c, t) => {
        // First and in 32 bits: Postgres pads what comes behind text, a tenth of each of millions of rows.
        for (const counter of COUNTERS) c.int(counter, 0).notNullable();
        ofDay(c, t);
      }),
    );
  },
  async down(knex, dialect) {
    await rebuild(knex, 'license_observations', HOURLY, () => createHourly(knex, dialect));
    await rebuild(knex, 'license_stats', `SELECT ${OF_DAY}, ${COUNTERS} FROM license_stats`, () =>
      createTable(knex, dialect, 'license_stats', '', (c, t) => {
        ofDay(c, t);
        for (const counter of COUNTERS) c.big(counter, 0).notNullable();
      }),
    );
  },
};

/** Names of keys and indexes are free again once the old table is gone, so its rows wait in a third one. */
async function rebuild(knex: Knex, table: string, rows: string, create: () => Promise<void>): Promise<void> {
  await knex.raw(`CREATE TABLE ${table}_kept AS ${rows}`);
  await knex.schema.dropTable(table);
  await create();
  await knex.raw(`INSERT INTO ${table} SELECT * FROM ${table}_kept`);
  await knex.schema.dropTable(`${table}_kept`);
}

async function createDaily(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_observations', inKeyOrder(dialect), (c, t) => {
    observed(c, 'day');
    c.time('noted_at').notNullable();
    t.primary(['license_id', 'day', 'kind', 'value']);
  });
  // The evaluation of abuse rules reads what is new, retention what is old; neither walks all of them.
  await knex.raw(
    'CREATE INDEX license_observations_noted ON license_observations (kind, noted_at, license_id)',
  );
}

async function createHourly(knex: Knex, dialect: DialectName): Promise<void> {
  await createTable(knex, dialect, 'license_observations', '', (c, t) => {
    observed(c, 'hour');
    t.primary(['license_id', 'hour', 'kind', 'value']);
  });
  await knex.schema.alterTable('license_observations', (t) => t.index(['hour', 'license_id']));
}

/** @param period name of the column that says when: `day` or `hour` */
function observed(c: Columns, period: string): void {
  c.reference('license_id', 'licenses', 'CASCADE').notNullable();
  c.text(period).notNullable();
  c.choice('kind', KINDS).notNullable();
  c.text('value').notNullable();
  c.big('count', 0).notNullable();
  c.time('first_at').notNullable();
  c.time('last_at').notNullable();
}

function ofDay(c: Columns, t: Knex.CreateTableBuilder): void {
  c.reference('license_id', 'licenses', 'CASCADE').notNullable();
  c.text('day').notNullable();
  c.time('last_validated_at');
  t.primary(['license_id', 'day']);
}

/** @param ending what stands behind the columns */
async function createTable(
  knex: Knex,
  dialect: DialectName,
  name: string,
  ending: string,
  define: (c: Columns, t: Knex.CreateTableBuilder) => void,
): Promise<void> {
  const created = knex.schema.createTable(name, (t) => define(columnsOf(t, dialect), t)).toSQL();
  for (const { sql } of created) await knex.raw(sql + ending);
}
