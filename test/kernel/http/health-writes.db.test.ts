// A database that takes no writes: 503 within two seconds, named by doctor, and back within five without a restart
// (R16, M24).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import { databaseChecks } from '#platform/health/database-checks.ts';
import { type MadeKey, startApp, type TestApp } from '../../support/app.ts';
import { runOnPostgres } from '../../support/database.ts';
import { nothing } from '../../support/database-changes.ts';
import { eventually } from '../../support/server-process.ts';

let app: TestApp;
let key: MadeKey;
let productId: string;
beforeAll(async () => {
  app = await startApp();
  key = await app.apiKey('FULL_ADMIN');
  productId = (await app.product()).id;
});
afterAll(() => app.close());

const health = async () => (await app.get('/api/health')).status;
const create = (customerEmail: string) =>
  app.post('/api/v1/license/create', { productId, customerEmail }, key.secret);
const count = async () => Number((await app.ctx.db.knex('licenses').count('* as n').first())?.n);

/** Sets how many pages the file may have; more than any file has makes room again. */
const setMostPages = (pages: number) =>
  app.instance.database.transaction(async ({ knex }) => {
    await knex.raw(`PRAGMA max_page_count = ${pages}`);
  });

/** Every new session of this database only reads, as on a server that has just become a standby. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const url = app.instance.config.database.url;
  const name = new URL(url).pathname.slice(1);
  await runOnPostgres(url, [
    'SET default_transaction_read_only = off',
    `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
  ]);
}

const isSqlite = () => app.instance.database.dialect === 'sqlite';
const stopWrites = () => (isSqlite() ? setMostPages(1) : setReadOnly('on'));
const allowWrites = () => (isSqlite() ? setMostPages(4_294_967_294) : setReadOnly('off'));

/** Writes until one is refused: the last pages of the file may have room for some. */
async function writeUntilRefused(): Promise<void> {
  for (let i = 0; i < 500; i++) {
    const { status, body } = await create(`ann${i}@x.test`);
    if (status === 201) continue;
    expect([status, body.error]).toEqual([500, { code: 'SERVER_ERROR', message: 'Unexpected error' }]);
    return;
  }
  throw new Error('every write was taken');
}

/** How long it takes until health answers so, milliseconds. */
async function timeUntil(status: number): Promise<number> {
  const started = performance.now();
  await eventually(async () => (await health()) === status);
  return performance.now() - started;
}

it('is 503 within two seconds while writes fail, reads go on, and it is back within five', async () => {
  expect(await health()).toBe(200);
  await stopWrites();
  await writeUntilRefused();
  const writing = setInterval(() => void create('tom@x.test'), 200);
  expect(await timeUntil(503).finally(() => clearInterval(writing))).toBeLessThan(2000);
  const before = await count();
  for (let i = 0; i < 3; i++) {
    expect((await create(`bob${i}@x.test`)).status).toBe(500);
    expect((await app.get('/api/v1/products', key.secret)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await health()).toBe(503);
  }
  expect(await count()).toBe(before);
  await allowWrites();
  expect(await timeUntil(200)).toBeLessThan(5000);
  expect((await create('eve@x.test')).status).toBe(201);
}, 30_000);

it('is named by doctor, which tries a write of its own', async () => {
  const connect = databaseChecks.find(({ id }) => id === 'db.connect');
  const { database, config } = app.instance;
  const scope = { config, opened: { database } } as unknown as CheckScope;
  // A session that was ended a moment ago fails once.
  const finding = () => eventually(async () => connect?.run(scope)).catch(() => connect?.run(scope));
  expect(await finding()).toMatchObject({ status: 'ok' });
  await stopWrites();
  expect(await finding()).toEqual({
    status: 'fail',
    message: `${database.displayUrl}: ${isSqlite() ? 'the disk of the database is full' : 'the database cannot be written: it is read-only'}; every change fails`,
    hint: expect.stringMatching(isSqlite() ? 'df -h' : 'primary'),
  });
  await allowWrites();
  expect(await finding()).toMatchObject({ status: 'ok' });
});

it('a probe changes nothing that is stored', async () => {
  const { changes } = await app.changesBy(() => app.instance.database.probeWrite());
  expect(changes).toEqual(nothing);
});
