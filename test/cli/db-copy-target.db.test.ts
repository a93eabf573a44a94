// Nobody works with the target of a copy while it is written: no server starts on it, and who came before is found.
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readInstallationId } from '#platform/installation/index.ts';
import { copyInstallation } from '../../src/app/copy-installation.ts';
import { openTarget } from '../../src/app/copy-target.ts';
import { errorOf, runCli } from '../support/cli-process.ts';
import { type Copying, change, openCopying, rowsOf, within } from '../support/copying.ts';
import { runOnPostgres } from '../support/database.ts';
import { eventually, startServer } from '../support/server-process.ts';

let copying: Copying;
let there: string;
let installation: string;
beforeAll(async () => {
  copying = await openCopying();
  there = await copying.newTarget();
  expect((await copying.copy(there)).code).toBe(0);
  installation = (await readInstallationId(copying.app.ctx)) as string;
}, 240_000);
afterAll(() => copying.close());

const isPostgres = () => inject('databaseKind') === 'postgres';
const open = () => openTarget(copying.app.instance, there, installation);
const watcher = { begins: () => undefined, progress: () => undefined };
const serving = () => ({ cwd: copying.folder, env: copying.envOf(there) });

test('no server starts on a target while a copy waits for its confirmation', async () => {
  const target = await open();
  expect(target.state.kind).toBe('filled');
  try {
    const run = await runCli(['serve', '--listen', '127.0.0.1:0', '--json'], serving());
    expect([run.code, errorOf(run).message]).toEqual([
      5,
      expect.stringMatching(
        isPostgres()
          ? new RegExp(`is the target of a copy \\(appctl db copy\\) in process ${process.pid}`)
          : /already served by process/,
      ),
    ]);
    await target.requireUnused();
  } finally {
    await target.close();
  }
  const servers = [await startServer([], serving())];
  // Several share a Postgres database.
  if (isPostgres()) servers.push(await startServer([], serving()));
  const pids = servers.map(({ child }) => child.pid).join('|');
  await expect(open()).rejects.toThrow(
    new RegExp(`(served by|in use by another appctl:) .*process (${pids})`),
  );
  for (const server of servers) expect((await server.stop()).code).toBe(0);
  await (await open()).close();
});

test('whoever connects during the wait is found before anything is changed', async () => {
  if (!isPostgres()) return expect(isPostgres()).toBe(false);
  await change(there, (knex) => knex('license_customers').update({ name: 'Somebody else' }));
  const before = await rowsOf(there);
  const target = await open();
  const command = new pg.Client({ connectionString: there, application_name: 'appctl 4242 abcd' });
  await command.connect();
  try {
    await expect(target.requireUnused()).rejects.toThrow('in use by another appctl: process 4242');
    await expect(copyInstallation(copying.app.instance, target, installation, watcher)).rejects.toThrow(
      'process 4242',
    );
  } finally {
    await command.end();
    await target.close();
  }
  expect(await rowsOf(there)).toEqual(before);
  expect((await copying.copy(there)).code).toBe(10);
});

test('a copy takes its lock anew when the connection broke, and is refused when a server was faster', async () => {
  if (!isPostgres()) return expect(isPostgres()).toBe(false);
  const target = await open();
  try {
    await endLock('ExclusiveLock');
    await target.requireUnused();
    expect(await holders('ExclusiveLock')).toBe(1);
    await endLock('ExclusiveLock');
    const server = await startServer([], serving());
    await expect(target.requireUnused()).rejects.toThrow(`process ${server.child.pid}`);
    expect((await server.stop()).code).toBe(0);
  } finally {
    await target.close();
  }
});

test('a server takes its lock anew when the connection broke, and stops when a copy is written over it', async () => {
  if (!isPostgres()) return expect(isPostgres()).toBe(false);
  const server = await startServer([], serving());
  await endLock('ShareLock');
  await eventually(async () => (await holders('ShareLock')) === 1);
  const copy = new pg.Client({ connectionString: there });
  await copy.connect();
  try {
    await endLock('ShareLock');
    await copy.query("SELECT pg_advisory_lock(hashtextextended('appctl serves public', 0))");
    const row = { name: 'unfinished-copy', at: '2026-01-01T00:00:00.000Z', ms: 0, checksum: installation };
    await change(there, (knex) => knex('schema_migrations').insert(row));
    const { stdout, stderr } = await server.ended;
    expect(stdout + stderr).toContain('is written into the database of this server, which stops');
  } finally {
    await copy.end();
  }
});

const LOCKS =
  "pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

const endLock = (mode: string): Promise<void> =>
  runOnPostgres(there, [`SELECT pg_terminate_backend(pid) FROM ${LOCKS} AND mode = '${mode}'`]);

const holders = (mode: string): Promise<number> =>
  within(there, async ({ db }) => {
    const { rows } = await db.knex.raw(`SELECT count(*) AS held FROM ${LOCKS} AND mode = '${mode}'`);
    return Number(rows[0].held);
  });
