// Migrations on both databases: forward, back, beside each other, newer and altered ones (M23).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Database } from '#kernel/db/database.ts';
import { findDrift } from '#kernel/db/drift.ts';
import { createMigrator, type Migration } from '#kernel/db/migrate.ts';
import { describeSchema, listTables } from '#kernel/db/schema.ts';
import { steps } from '../../migrations/index.ts';
import { migrations } from '../../src/app/migrations.ts';
import { testClock } from '../support/context.ts';
import { type FreshDatabase, freshDatabaseUrl } from '../support/database.ts';
import { codeOf, refusalOf } from '../support/refusal.ts';

const clock = testClock();
const names = migrations.map(({ name }) => name);
let fresh: FreshDatabase;
let opened: Database[];
const open = async () => {
  const database = await openDatabase(fresh.url, {
    poolSize: 3,
    busyTimeoutMs: 5000,
    create: true,
    onError: () => undefined,
  });
  opened.push(database);
  return database;
};
let database: Database;
beforeEach(async () => {
  fresh = await freshDatabaseUrl();
  opened = [];
  database = await open();
});
afterEach(async () => {
  for (const one of opened) await one.close();
  await fresh.drop();
});

const migratorOf = (list: readonly Migration[] = migrations, on = database) =>
  createMigrator(on, list, clock);
const later: Migration = {
  name: '9999-later',
  up: async (knex) => knex.schema.createTable('later', (t) => void t.text('id')),
};

it('the list names each step as the step names itself, and all can be undone', async () => {
  for (const [name, load] of Object.entries(steps))
    expect([name, await load()]).toEqual([
      name,
      expect.objectContaining({ name, down: expect.any(Function) }),
    ]);
});

describe('up', () => {
  it('applies all in order, once, and notes when and what', async () => {
    expect((await migratorOf().status()).pending.map(({ name }) => name)).toEqual(names);
    expect(await migratorOf().plan('up', {})).toEqual(names);
    expect(await migratorOf().up()).toEqual(names);
    expect(await migratorOf().up()).toEqual([]);
    const { applied, pending, unknown } = await migratorOf().status();
    expect([pending, unknown]).toEqual([[], []]);
    expect(applied).toEqual(
      names.map((name) => ({
        name,
        at: '2026-03-01T12:00:00.000Z',
        ms: 0,
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      })),
    );
  });

  it('stops where it is told, and goes on from there', async () => {
    expect(await migratorOf().up({ count: 1 })).toEqual(names.slice(0, 1));
    expect(await migratorOf().up({ to: names[1] as string })).toEqual(names.slice(1, 2));
    expect(await migratorOf().up()).toEqual(names.slice(2));
    expect(await codeOf(migratorOf().up({ to: 'no-such' }))).toBe('NOT_FOUND');
  });

  it('run by four processes at once applies each step once', async () => {
    const others = await Promise.all([open(), open(), open()]);
    const done = await Promise.all([database, ...others].map((one) => migratorOf(migrations, one).up()));
    expect(done.flat().sort()).toEqual(names);
    expect((await migratorOf().status()).applied).toHaveLength(names.length);
  });

  it('a step that fails leaves nothing of itself, and those before it stay', async () => {
    const broken: Migration = {
      name: '9998-broken',
      up: async (knex) => {
        await knex.schema.createTable('half', (t) => void t.text('id'));
        await knex.raw('INSERT INTO no_such_table VALUES (1)');
      },
    };
    await expect(migratorOf([...migrations, broken, later]).up()).rejects.toThrow(/no_such_table/);
    const tables = await listTables(database.db);
    expect(['half', 'later'].filter((name) => tables.includes(name))).toEqual([]);
    expect(
      (await migratorOf([...migrations, broken, later]).status()).pending.map(({ name }) => name),
    ).toEqual(['9998-broken', '9999-later']);
  });
});

describe('down', () => {
  it('reverts the newest, and all the way leaves nothing but the bookkeeping', async () => {
    await migratorOf().up();
    const full = await describeSchema(database.db);
    expect(await migratorOf().down({ count: 1 })).toEqual(names.slice(-1));
    expect((await migratorOf().status()).pending.map(({ name }) => name)).toEqual(names.slice(-1));
    await migratorOf().up();
    expect(await describeSchema(database.db)).toEqual(full);
    expect(await migratorOf().down({})).toEqual([...names].reverse());
    expect(await listTables(database.db)).toEqual(['schema_migrations']);
  });

  it('is refused before the first change when a step cannot be undone', async () => {
    const list = [...migrations, later];
    await migratorOf(list).up();
    const { code, message } = await refusalOf(migratorOf(list).down({ count: 2 }));
    expect([code, message]).toEqual(['CONFLICT', '9999-later cannot be reverted']);
    expect((await migratorOf(list).status()).applied).toHaveLength(list.length);
  });
});

describe('another program', () => {
  it('a database of a newer one is refused, in either direction', async () => {
    await migratorOf([...migrations, later]).up();
    const { unknown } = await migratorOf().status();
    expect(unknown).toEqual(['9999-later']);
    const { up, down, plan } = migratorOf();
    for (const attempt of [() => up(), () => down({}), () => plan('up', {})]) {
      const { code, message } = await refusalOf(attempt());
      expect([code, message]).toEqual(['CONFLICT', expect.stringContaining('9999-later')]);
    }
  });

  it('an edited step is found by its checksum', async () => {
    await migratorOf([...migrations, later]).up();
    expect(await migratorOf([...migrations, later]).changed()).toEqual([]);
    const edited: Migration = {
      ...later,
      up: async (knex) => knex.schema.createTable('later', (t) => void t.text('other')),
    };
    expect(await migratorOf([...migrations, edited]).changed()).toEqual(['9999-later']);
  });

  it('a schema that was changed by hand is told line by line', async () => {
    await migratorOf().up();
    expect(await findDrift(database, migrations)).toEqual([]);
    await database.transaction(async ({ knex }) => {
      await knex.raw('CREATE INDEX by_hand ON licenses (notes)');
      await knex.raw('DROP INDEX licenses_order');
    });
    const drift = await findDrift(database, migrations);
    expect(drift.map(({ kind, line }) => [kind, /by_hand|licenses_order/.exec(line)?.[0]])).toEqual([
      ['missing', 'licenses_order'],
      ['unexpected', 'by_hand'],
    ]);
  });
});
