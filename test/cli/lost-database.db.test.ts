// A database that went missing does not become a new installation in silence: 78, with the cure.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { runCli } from '../support/cli-process.ts';
import { type FreshDatabase, freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { startServer } from '../support/server-process.ts';

let cwd: string;
let first: FreshDatabase;
let empty: FreshDatabase;
beforeEach(async () => {
  cwd = scratchFolder('appctl-lost-');
  [first, empty] = await Promise.all([freshDatabaseUrl(), freshDatabaseUrl()]);
});
afterEach(async () => {
  await Promise.all([first.drop(), empty.drop()]);
  rmSync(cwd, { recursive: true, force: true });
});

const data = (name: string) => join(cwd, 'data', name);
const envOf = ({ url }: FreshDatabase, extra = {}) => ({ APPCTL_DATABASE_URL: url, ...extra });
const setup = (database: FreshDatabase, extra = {}) =>
  runInside(['setup', '--owner-email', 'a@x.test', '--generate-password'], {
    cwd,
    env: envOf(database, extra),
  });
const serve = (database: FreshDatabase, args: string[] = []) =>
  runCli(['serve', ...args, '--listen', '127.0.0.1:0'], { cwd, env: envOf(database) });
const file = () => JSON.parse(readFileSync(data('installation'), 'utf8'));
const refusedWith78 = {
  code: 78,
  stderr: expect.stringMatching(/database is (missing|empty).*serve --fresh/s),
};

test('the first start writes the file, for its owner only, and the next ones leave it', async () => {
  expect((await setup(first)).code).toBe(0);
  expect(statSync(data('installation')).mode & 0o777).toBe(0o600);
  const written = file();
  expect(written).toEqual({
    id: expect.stringMatching(/^ins_[0-9A-Z]{26}$/),
    masterKeyId: expect.stringMatching(/^\S+$/),
  });
  const server = await startServer([], { cwd, env: envOf(first) });
  await server.stop();
  expect(file()).toEqual(written);
});

test('an installation without the file gets it at the next start', async () => {
  await setup(first);
  const { id } = file();
  rmSync(data('installation'));
  const server = await startServer([], { cwd, env: envOf(first) });
  await server.stop();
  expect(file()).toMatchObject({ id });
});

test('beside the file, or beside its own master key alone, an empty database is refused and left empty', async () => {
  await setup(first);
  const written = file();
  expect(await serve(empty)).toMatchObject(refusedWith78);
  expect(file()).toEqual(written);
  rmSync(data('installation'));
  expect(await serve(empty)).toMatchObject(refusedWith78);
  expect(await setup(empty)).toMatchObject(refusedWith78);
  expect(existsSync(data('installation'))).toBe(false);
  if (empty.url.startsWith('sqlite:')) expect(existsSync(empty.url.slice('sqlite:'.length))).toBe(false);
});

test('doctor says it', async () => {
  await setup(first);
  const env = envOf(empty);
  const { stdout } = await runInside(['doctor', '--json', 'db.installation'], { cwd, env });
  expect(stdout).toMatch(/belongs to an installation whose database is (missing|empty)/);
});

test('--fresh begins a new installation, and is refused where there is one', async () => {
  await setup(first);
  const { id } = file();
  const server = await startServer(['--fresh'], { cwd, env: envOf(empty) });
  await server.stop();
  expect(file().id).not.toBe(id);
  const { code, stderr } = await serve(empty, ['--fresh']);
  expect([code, stderr]).toEqual([5, expect.stringContaining('already holds an installation')]);
});

test('a master key from outside beside an empty data directory is a first start', async () => {
  expect((await setup(first, { APPCTL_MASTER_KEY: 'ab'.repeat(32) })).code).toBe(0);
  expect(existsSync(data('master.key'))).toBe(false);
  expect(existsSync(data('installation'))).toBe(true);
});

test('commands and doctor name the same cure for a database that is missing', async () => {
  await setup(first);
  rmSync(data('installation'));
  await setup(first);
  const missing = { url: `sqlite:${join(cwd, 'gone.db')}` };
  for (const args of [['status'], ['license', 'list'], ['product', 'list']]) {
    const run = await runInside(args, { cwd, env: { APPCTL_DATABASE_URL: missing.url } });
    expect(run).toMatchObject({ code: 9, stderr: expect.stringMatching(/is missing.*serve --fresh/s) });
  }
  const doctor = ['doctor', '--json', 'db.connect', 'db.installation'];
  const { stdout } = await runInside(doctor, { cwd, env: { APPCTL_DATABASE_URL: missing.url } });
  const { checks } = JSON.parse(stdout) as { checks: { hint: string }[] };
  expect(checks.map(({ hint }) => hint)).toEqual(
    Array(2).fill(expect.stringContaining('appctl serve --fresh begins a new installation')),
  );
});

test('a database of another installation is refused, also with the same master key', async () => {
  const key = { APPCTL_MASTER_KEY: 'ab'.repeat(32) };
  await setup(first, key);
  const written = file();
  rmSync(data('installation'));
  await setup(empty, key);
  writeFileSync(data('installation'), JSON.stringify(written));
  const run = await runCli(['serve', '--listen', '127.0.0.1:0'], { cwd, env: envOf(empty, key) });
  expect(run).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(
      /holds installation ins_\w+, but the data directory belongs to installation/,
    ),
  });
  expect(file()).toEqual(written);
  const doctor = await runInside(['doctor', '--json', 'db.installation'], { cwd, env: envOf(empty, key) });
  expect(doctor.stdout).toContain('but the data directory belongs to installation');
});

test('a pipe or a folder in the place of the file is refused, and nobody waits for it', async () => {
  await setup(first);
  for (const make of [
    () => execFileSync('mkfifo', [data('installation')]),
    () => mkdirSync(data('installation')),
  ]) {
    rmSync(data('installation'), { recursive: true });
    make();
    expect(await serve(first)).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('is not a regular file'),
    });
  }
});
