// A whole installation goes into another database and back, and is the same there (cli 3.3).
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import {
  type Copied,
  type Copying,
  change,
  MACHINE,
  OWNER,
  openCopying,
  rowsOf,
} from '../support/copying.ts';
import { openHttpClient } from '../support/http-client.ts';
import { startServer } from '../support/server-process.ts';

let copying: Copying;
beforeAll(async () => {
  copying = await openCopying();
}, 240_000);
afterAll(() => copying.close());

/** Checks that an installation has to pass, whatever database it is in. */
const CHECKS = [
  'db.migrations',
  'db.integrity',
  'db.foreign-keys',
  'db.installation',
  'keys.master-key',
  'license.invariants',
  'keys.decryptable',
  'store.money',
  'store.stock',
  'store.licenses',
];

test('every row arrives, there and back, while a server writes to the source', async () => {
  const { copy, newTarget, newFile, url } = copying;
  const [there, back] = [await newTarget(), newFile()];
  const run = await copy(there);
  expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
  const { tables } = JSON.parse(run.stdout) as Copied;
  expect(tables.filter(({ checksumOk }) => !checksumOk)).toEqual([]);
  expect(tables.filter(({ rows }) => rows > 0).length).toBeGreaterThan(80);
  expect((await copy(back, [], there)).code).toBe(0);
  const before = await rowsOf(url);
  expect(Object.keys(before)).toHaveLength(tables.length);
  expect(await rowsOf(there)).toEqual(before);
  expect(await rowsOf(back)).toEqual(before);
});

test('a copy serves: license, API key, password, search, audit log and doctor', async () => {
  const { copy, newTarget, envOf, folder: cwd, license, secret } = copying;
  const there = await newTarget();
  expect((await copy(there)).code).toBe(0);
  const env = { ...envOf(there), APPCTL_RATE_LIMIT: 'off' };
  const server = await startServer([], { cwd, env });
  const client = openHttpClient(server.url);
  try {
    const body = { key: license.key, machineId: MACHINE };
    const validated = await client.send('/api/v1/license/validate', { body, key: secret });
    expect(validated).toMatchObject({ status: 200, body: { valid: true } });
    const { email, password } = OWNER;
    const signedIn = await client.send('/api/v1/admin/auth/login', { body: { email, password } });
    expect(signedIn.status).toBe(200);
    expect((await client.send('/shop/search?q=mug')).text).toMatch(/href="\/shop\/products\/[^"]*mug/i);
  } finally {
    client.close();
    await server.stop();
  }
  const audit = await runInside(['audit', 'verify', '--json'], { cwd, env });
  expect(JSON.parse(audit.stdout)).toMatchObject({ ok: true });
  const doctor = await runInside(['doctor', ...CHECKS, '--json'], { cwd, env });
  expect(JSON.parse(doctor.stdout).summary).toEqual({ ok: CHECKS.length, warn: 0, fail: 0, skip: 0 });
  const drift = await runInside(['migrate', 'verify', '--json'], { cwd, env });
  expect(JSON.parse(drift.stdout)).toEqual({ drift: [] });
});

test('a dry run counts and makes nothing', async () => {
  const to = copying.newFile();
  const run = await copying.copy(to, ['--dry-run']);
  const { tables, takenAt } = JSON.parse(run.stdout) as Copied;
  expect([run.code, takenAt, existsSync(to.slice('sqlite:'.length))]).toEqual([0, null, false]);
  expect(tables.find(({ name }) => name === 'licenses')?.rows).toBeGreaterThan(0);
});

test('a copy that is killed again and again goes on; no program works with it until it is complete', async () => {
  const { copyUntil, newTarget, envOf, folder: cwd, url } = copying;
  // Machines differ: the moments are parts of the time that a whole copy takes here.
  const from = performance.now();
  await copyUntil(await newTarget(), 60_000);
  const wholeMs = performance.now() - from;
  const there = await newTarget();
  const used: (number | null)[] = [];
  for (const part of [0.3, 0.5, 0.6, 0.7, 0.8]) {
    if (!(await copyUntil(there, wholeMs * part))) break;
    const { code } = await runInside(['product', 'list', '--json'], { cwd, env: envOf(there) });
    if (code === 0) {
      // It was killed after its last step and before its end.
      expect(await rowsOf(there)).toEqual(await rowsOf(url));
      break;
    }
    used.push(code);
  }
  expect((await copying.copy(there, ['--confirm', 'appctl'])).code).toBe(0);
  expect(used.length).toBeGreaterThan(0);
  // The first one may be killed before it has made anything: no database (9), or one without a schema (8).
  expect(used.filter((code) => code !== 9 && code !== 8 && code !== 78)).toEqual([]);
  expect(await rowsOf(there)).toEqual(await rowsOf(url));
}, 240_000);

test('a copy that goes on takes what was changed in the source since, and leaves what is the same', async () => {
  const { app, copy, newTarget, url } = copying;
  const there = await newTarget();
  expect((await copy(there)).code).toBe(0);
  await markUnfinished(there);
  const { id } = await app.license();
  await change(there, (knex) => knex('license_customers').update({ name: 'Somebody else' }));
  const run = await copy(there);
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('continuing it')]);
  const rows = await rowsOf(there);
  expect(rows.licenses?.join()).toContain(id);
  expect(rows).toEqual(await rowsOf(url));
});

/** As a copy is that was cut off after its last table. */
const markUnfinished = (url: string): Promise<void> =>
  change(url, async (knex) => {
    const { value } = await knex('settings').where({ key: 'system.installation_id' }).first();
    const row = { name: 'unfinished-copy', at: '2026-01-01T00:00:00.000Z', ms: 0 };
    await knex('schema_migrations').insert({ ...row, checksum: JSON.parse(value) });
  });

test('a table that arrives changed ends with 6, and the copy stays unfinished until it is right', async () => {
  const { copy, newFile, envOf, folder: cwd, url } = copying;
  const there = newFile();
  expect((await copy(there)).code).toBe(0);
  await markUnfinished(there);
  await change(there, (knex) => knex('license_products').update({ name: 'Spoiled' }));
  const spoil =
    "CREATE TRIGGER spoil AFTER INSERT ON license_products BEGIN UPDATE license_products SET name = 'Spoiled'; END";
  await change(there, (knex) => knex.raw(spoil));
  const run = await copy(there);
  const { tables } = JSON.parse(run.stdout) as Copied;
  expect([run.code, tables.filter(({ checksumOk }) => !checksumOk).map(({ name }) => name)]).toEqual([
    6,
    ['license_products'],
  ]);
  const serve = await runInside(['product', 'list'], { cwd, env: envOf(there) });
  expect(serve).toMatchObject({ code: 78, stderr: expect.stringMatching(/not complete.*appctl db copy/s) });
  await change(there, (knex) => knex.raw('DROP TRIGGER spoil'));
  expect((await copy(there)).code).toBe(0);
  expect(await rowsOf(there)).toEqual(await rowsOf(url));
});
