// What a server backs up by itself on either database, two backups at once, what a restore leaves of the schema, and
// disks that are full.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf, program, runCli } from '../support/cli-process.ts';
import { change } from '../support/copying.ts';
import { type FreshDatabase, freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, startServer } from '../support/server-process.ts';

const folder = scratchFolder('appctl-backup-jobs-');
const place = join(folder, 'data/backups');
let database: FreshDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await freshDatabaseUrl();
  env = { APPCTL_DATA_DIR: join(folder, 'data'), APPCTL_DATABASE_URL: database.url };
  const done = await run([
    'setup',
    '--owner-email',
    'a@x.test',
    '--generate-password',
    '--product',
    'editor',
  ]);
  expect([done.code, done.code === 0 ? '' : done.stderr]).toEqual([0, '']);
}, 120_000);
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (words: readonly string[], more: Record<string, string> = {}) =>
  runInside(words, { cwd: folder, env: { ...env, ...more } });
/** Beside the program. */
const alter = (sql: string) => change(database.url, (knex) => knex.raw(sql));
const archives = (): string[] =>
  existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.tar.zst.json')) : [];
const left = (): string[] => readdirSync(join(folder, 'data/backup-work'));

test('a server makes one at SIGUSR1 and by its job, whose run says how large it was', async () => {
  const server = await startServer([], { cwd: folder, env: { ...env, APPCTL_BACKUP_KEEP: '1,1,1' } });
  try {
    server.child.kill('SIGUSR1');
    await eventually(() => archives().length === 1);
    const ran = JSON.parse((await run(['jobs', 'run', 'backup', '--wait', '--json'])).stdout);
    expect(ran).toMatchObject({ status: 'ok', result: { bytes: expect.any(Number), deleted: 1 } });
    expect(archives()).toHaveLength(1);
    const [file = ''] = archives();
    const verified = await run(['backup', 'verify', join(place, file.replace(/\.json$/, '')), '--json']);
    const { database: kind } = JSON.parse(verified.stdout).manifest;
    expect(kind).toBe(database.url.startsWith('postgres') ? 'postgres' : 'sqlite');
  } finally {
    await server.stop();
  }
  expect(left()).toEqual([]);
}, 180_000);

test('two at once are both whole, under names of their own', async () => {
  rmSync(place, { recursive: true, force: true });
  const both = await Promise.all(
    [1, 2].map(() => runCli(['backup', 'create', '--json'], { cwd: folder, env })),
  );
  expect(both.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', '']);
  const files = both.map(({ stdout }) => JSON.parse(stdout).file as string);
  expect(new Set(files).size).toBe(2);
  for (const file of files) expect((await run(['backup', 'verify', file])).code).toBe(0);
  expect(left()).toEqual([]);
}, 180_000);

test('a folder that is named and not there is not made: its disk may not be mounted', async () => {
  const missing = join(folder, 'mnt/usb');
  for (const out of [`${missing}/`, join(missing, 'b.tar.zst')]) {
    const refused = await run(['backup', 'create', '--out', out, '--json']);
    expect([refused.code, errorOf(refused)]).toMatchObject([
      2,
      { message: `${missing} does not exist`, hint: expect.stringContaining(`mkdir -p ${missing}`) },
    ]);
  }
  expect(existsSync(join(folder, 'mnt'))).toBe(false);
});

test('pruning leaves the only verified one, whatever the rule and however many others there are', async () => {
  rmSync(place, { recursive: true, force: true });
  for (const _ of [1, 2, 3]) expect((await run(['backup', 'create'])).code).toBe(0);
  const [first = '', ...others] = archives().sort();
  for (const name of others) rmSync(join(place, name));
  const none = ['--keep-daily', '0', '--keep-weekly', '0', '--keep-monthly', '0', '--yes'];
  expect((await run(['backup', 'prune', ...none])).code).toBe(0);
  expect(archives()).toEqual([first]);
  expect(existsSync(join(place, first.replace(/\.json$/, '')))).toBe(true);
}, 180_000);

test('the schema of a restored database is what the migrations make; another one is refused', async () => {
  const file = join(folder, 'drift.tar.zst');
  expect((await run(['backup', 'create', '--out', file])).code).toBe(0);
  const fresh = await freshDatabaseUrl();
  const there = { APPCTL_DATA_DIR: join(folder, 'there'), APPCTL_DATABASE_URL: fresh.url };
  const words = ['--master-key-file', join(folder, 'data/master.key'), '--json'];
  try {
    const restored = await run(['restore', file, ...words], there);
    expect([restored.code, restored.code === 0 ? '' : restored.stderr]).toEqual([0, '']);
    const status = JSON.parse((await run(['migrate', 'verify', '--json'], there)).stdout);
    expect(status).toMatchObject({ drift: [] });
  } finally {
    await fresh.drop();
  }
  await alter('ALTER TABLE tasks ADD COLUMN planted text');
  const drifted = join(folder, 'drifted.tar.zst');
  const made = await run(['backup', 'create', '--out', drifted, '--json']);
  await alter('ALTER TABLE tasks DROP COLUMN planted');
  const elsewhere = join(folder, 'elsewhere');
  const at = { APPCTL_DATA_DIR: elsewhere, APPCTL_DATABASE_URL: `sqlite:${join(elsewhere, 'appctl.db')}` };
  const refused = made.code === 0 ? await run(['restore', drifted, ...words], at) : made;
  expect(refused.code).not.toBe(0);
  expect(errorOf(refused).message).toMatch(/\b(?:table|in) tasks\b/);
  expect(existsSync(join(elsewhere, 'appctl.db'))).toBe(false);
}, 180_000);

/** A command with a small disk at a folder, and what is in that folder then. */
function onSmallDisk(at: string, size: string, words: readonly string[], more: Record<string, string> = {}) {
  mkdirSync(at, { recursive: true });
  const script = `mount -t tmpfs -o size=${size} none "$0" && "$@"; code=$?; ls -A "$0" >&2; exit $code`;
  const ran = spawnSync('unshare', ['-rm', 'sh', '-c', script, at, process.execPath, program, ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', HOME: folder, ...env, ...more },
  });
  const [error = '', ...names] = ran.stderr.trim().split('\n');
  return { code: ran.status, error, names };
}

describe('on a full disk', () => {
  test('no part of a backup is left in its place, and the error says where there is no room', () => {
    const small = join(folder, 'small');
    const { code, error, names } = onSmallDisk(small, '16k', ['backup', 'create', '--json'], {
      APPCTL_BACKUP_DIR: small,
    });
    expect([code, names]).toEqual([9, []]);
    expect(JSON.parse(error).error).toMatchObject({
      message: expect.stringMatching(/has no space left|only .* is free/),
      hint: expect.stringMatching(/free/),
    });
    expect(left()).toEqual([]);
  }, 60_000);

  test('nor where a file was named', () => {
    const small = join(folder, 'small');
    const out = join(small, 'b.tar.zst');
    const { code, error, names } = onSmallDisk(small, '16k', ['backup', 'create', '--out', out, '--json']);
    expect([code, names]).toEqual([9, []]);
    expect(JSON.parse(error).error.message).toMatch(/needs .* only .* is free/);
    expect(left()).toEqual([]);
  }, 60_000);

  test('nor is one begun where its work has no room beside what the server needs', () => {
    const work = join(folder, 'data/backup-work');
    const { code, error, names } = onSmallDisk(work, '100m', ['backup', 'create', '--json']);
    expect([code, names]).toEqual([9, []]);
    expect(JSON.parse(error).error.message).toMatch(/needs .* and 200 MiB to spare, but only .* is free/);
  }, 60_000);
});
