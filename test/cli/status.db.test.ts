// appctl status: running, stopped, killed, stuck and broken; asked over the admin socket.
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openAdminSocket } from '#kernel/http/admin-socket.ts';
import { StatusView } from '../../src/app/status-view.ts';
import { errorOf } from '../support/cli-process.ts';
import { eventually } from '../support/server-process.ts';
import { expectRefused, useServiceLife } from './service-life.ts';

const life = useServiceLife();
const { appctl, json } = life;
beforeAll(async () => {
  await json(['setup', '--owner-email', 'ops@x.test', '--generate-password', '--product', 'editor']);
});

const seen = async (args: string[] = []) => (await appctl(['status', ...args])).stdout;

test('a stopped one says so first, and --strict is 8', async () => {
  const text = await seen();
  expect(text).toMatch(/^STOPPED {4}no server is running on .*data\n {11}appctl serve starts one\n/);
  expect(text).not.toContain('attention');
  expect((await appctl(['status', '--strict'])).code).toBe(8);
  expect((await json(['status'])).warnings).toEqual(['no server is running on this data directory']);
});

test('a running one answers by itself, with the same as is read beside it', async () => {
  const server = await life.serve();
  const text = await seen();
  expect(text).toMatch(new RegExp(`^OK {9}running for \\d+ seconds? at ${server.url}\n`));
  expect(text).toMatch(/^Contents {3}0 licenses, 0 activations, 1 product, 0 customers$/m);
  expect((await appctl(['status', '--strict'])).code).toBe(0);
  const asked = StatusView.parse(await json(['status']));
  // A tenant of its own on the line is looked up here.
  const looked = StatusView.parse(await json(['status', '--tenant', 'default']));
  expect({ ...looked, uptimeSec: 0, db: { ...looked.db, sizeBytes: 0 } }).toEqual({
    ...asked,
    uptimeSec: 0,
    db: { ...asked.db, sizeBytes: 0 },
  });
  expect(asked.pid).toBe(server.child.pid);
});

test('what is wrong comes last, each with the command to paste on a line of its own', async () => {
  await life.serve(['--no-jobs']);
  const failed = { last_status: 'failed', last_error: 'disk full' };
  await life.onDatabase(({ knex }) =>
    knex('scheduled_jobs').where({ name: 'license-expiry' }).update(failed),
  );
  const text = await seen();
  expect(text).toMatch(/^WARNING {4}running for/);
  expect(text).toContain('\n\n1 thing needs attention:\n- 1 job failed: license-expiry: disk full\n');
  expect(text).toMatch(/\n {2}\S*.*jobs list --state failed\n$/);
  expect((await appctl(['status', '--strict'])).code).toBe(8);
  await life.onDatabase(({ knex }) => knex('scheduled_jobs').update({ last_status: null, last_error: null }));
});

test('one that was killed is told from one that was stopped', async () => {
  const server = await life.serve();
  await server.stop('SIGKILL');
  const text = await seen();
  expect(text).toMatch(/^STOPPED/);
  expect(text).toContain(`the last one (pid ${server.child.pid}, started `);
  expect(text).toContain('was killed or crashed');
});

test('one that is stuck is named, with its pid, within seconds', async () => {
  const server = await life.serve();
  server.child.kill('SIGSTOP');
  const run = await appctl(['status', '--json']);
  server.child.kill('SIGCONT');
  expectRefused(run, 9, `the server at ${server.url} (pid ${server.child.pid}) does not answer`);
  expect(errorOf(run).hint).toContain('appctl logs');
});

test('one that cannot read its database says which, and 9', async () => {
  await life.serve(['--no-jobs']);
  await life.onDatabase(({ knex }) => knex.schema.renameTable('scheduled_jobs', 'jobs_away'));
  const run = await eventually(() => appctl(['status', '--json']));
  await life.onDatabase(({ knex }) => knex.schema.renameTable('jobs_away', 'scheduled_jobs'));
  expectRefused(run, 9, 'cannot read its database');
});

test('beside a server of another database the command is refused as before', async () => {
  await life.serve();
  const run = await appctl(['status', '--json'], { APPCTL_DATABASE_URL: 'sqlite:./elsewhere.db' });
  expectRefused(run, 78, 'but this command would use');
});

test('a server of an older version, which does not know the question, is looked at from outside', async () => {
  const socket = await openAdminSocket(join(life.cwd(), 'data/run/appctl.sock'));
  const status = { pid: 7, version: '0.0.1', startedAt: '', uptimeSec: 90, url: 'http://old.test', urls: [] };
  socket.answer({ status: async () => status });
  try {
    expect(await seen()).toMatch(
      /^OK {9}running for 2 minutes at http:\/\/old.test\nVersion {4}appctl 0.0.1, pid 7\n/,
    );
  } finally {
    await socket.close();
  }
});
