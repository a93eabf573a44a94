// What becomes of the observations of hours when they become observations of days, and back (migration 0009).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMigrator } from '#kernel/db/migrate.ts';
import { migrations } from '../../src/app/migrations.ts';
import { startApp, type TestApp } from '../support/app.ts';

const NAME = '0009-daily-observations';
/** It and what came after it. */
const names = migrations.map(({ name }) => name).slice(migrations.findIndex(({ name }) => name === NAME));
const digest = 'd'.repeat(43);
const short = 'd'.repeat(22);

let app: TestApp;
let licenseId: string;
beforeAll(async () => {
  app = await startApp();
  licenseId = (await app.license()).id;
});
afterAll(() => app.close());

const hourly = (hour: string, kind: string, value: string, count = 1) => ({
  license_id: licenseId,
  hour,
  kind,
  value,
  count,
  first_at: `${hour}:05:00.000Z`,
  last_at: `${hour}:55:00.000Z`,
});
const rows = async (...columns: string[]) => {
  const { knex } = app.instance.database.db;
  const found = await knex('license_observations').orderBy(['kind', 'first_at', 'value']).select('*');
  return found.map((row) =>
    columns.map((column) => (column === 'count' ? Number(row[column]) : row[column])),
  );
};

it('adds the hours of a day up, keeps minutes apart, and drops what no rule reads any more', async () => {
  const { database } = app.instance;
  const migrator = createMigrator(database, migrations, app.clock);
  const day = { license_id: licenseId, day: '2026-02-28', validations: 7, denials: 0, heartbeats: 0 };
  await database.transaction(({ knex }) => knex('license_stats').insert(day));
  expect(await migrator.down({ count: names.length })).toEqual(names.toReversed());
  await database.transaction(({ knex }) =>
    knex('license_observations').insert([
      hourly('2026-02-01T10', 'IP_NET', digest),
      hourly('2026-02-01T10', 'CHURN', 'PAIR.07', 2),
      hourly('2026-02-28T23', 'IP_NET', digest, 3),
      hourly('2026-03-01T10', 'IP_NET', digest, 4),
      hourly('2026-03-01T12', 'IP_NET', digest, 5),
      hourly('2026-03-01T10', 'LIMIT', '07', 6),
      hourly('2026-03-01T12', 'LIMIT', '07', 7),
      hourly('2026-03-01T12', 'BEAT_IP', `${digest}.09`, 8),
      hourly('2026-03-01T11', 'CHURN', 'WAITING', 1),
      hourly('2026-03-01T11', 'MACHINE_DENIED', `SEATS_EXHAUSTED.${digest}`, 2),
      hourly('2026-03-01T12', 'CHURN', 'WAITING', 1),
    ]),
  );
  expect(await migrator.up()).toEqual(names);
  expect(await rows('kind', 'day', 'value', 'count', 'noted_at')).toEqual([
    ['BEAT_IP', '2026-03-01', `${short}.12:09`, 8, '2026-03-01T12:55'],
    ['CHURN', '2026-02-01', 'PAIR.10:07', 2, '2026-02-01T10:55'],
    ['CHURN', '2026-03-01', 'WAITING', 2, '2026-03-01T12:55'],
    ['IP_NET', '2026-02-28', short, 3, '2026-02-28T23:55'],
    ['IP_NET', '2026-03-01', short, 9, '2026-03-01T12:55'],
    ['LIMIT', '2026-03-01', '10:07', 6, '2026-03-01T10:55'],
    ['LIMIT', '2026-03-01', '12:07', 7, '2026-03-01T12:55'],
    ['MACHINE_DENIED', '2026-03-01', `SEATS_EXHAUSTED.${short}`, 2, '2026-03-01T11:55'],
  ]);
  expect(await migrator.down({ count: names.length })).toEqual(names.toReversed());
  expect(await rows('kind', 'hour', 'value', 'count')).toEqual([
    ['BEAT_IP', '2026-03-01T12', `${short}.09`, 8],
    ['CHURN', '2026-02-01T10', 'PAIR.07', 2],
    ['CHURN', '2026-03-01T11', 'WAITING', 2],
    ['IP_NET', '2026-02-28T23', short, 3],
    ['IP_NET', '2026-03-01T10', short, 9],
    ['LIMIT', '2026-03-01T10', '07', 6],
    ['LIMIT', '2026-03-01T12', '07', 7],
    ['MACHINE_DENIED', '2026-03-01T11', `SEATS_EXHAUSTED.${short}`, 2],
  ]);
  expect(await migrator.up()).toEqual(names);
  expect(await database.db.knex('license_stats')).toMatchObject([{ license_id: licenseId, validations: 7 }]);
});
