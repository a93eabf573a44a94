// A database that went missing does not become a new installation in silence: 78, with the cure.
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
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
  expect([code, stderr]).toEqual([5, expect.stringContaining('holds an installation already')]);
});

test('a master key from outside beside an empty data directory is a first start', async () => {
  expect((await setup(first, { APPCTL_MASTER_KEY: 'ab'.repeat(32) })).code).toBe(0);
  expect(existsSync(data('master.key'))).toBe(false);
  expect(existsSync(data('installation'))).toBe(true);
});
