// Commands that are told no base_url make their links with the address of the server (decision 0097).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorOf } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { startServer } from '../support/server-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
let database: FreshDatabase;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  it = await prepareInstallation(database.url);
});
afterAll(async () => {
  it.remove();
  await database.drop();
});

/** Starts a server and stops it. @returns where it listened */
async function serveOnce(...args: string[]): Promise<string> {
  const env = { APPCTL_DATA_DIR: join(it.cwd, 'data'), APPCTL_DATABASE_URL: database.url };
  const server = await startServer(args, { cwd: it.cwd, env });
  expect((await server.stop()).code).toBe(0);
  return server.url;
}

const linkOf = async (env: Record<string, string> = {}): Promise<string> =>
  (await it.answer<{ url: string }>(['setup', 'token'], { env })).url.replace(/\/admin\/.*/, '');

test('links are those of the server that was last started, unless the command is told a base_url', async () => {
  expect(await linkOf()).toBe('http://127.0.0.1:8480');
  const first = await serveOnce();
  expect(await linkOf()).toBe(first);
  await serveOnce('--base-url', 'https://shop.example.com', '--trust-proxy', '1');
  expect(await linkOf()).toBe('https://shop.example.com');
  expect(await linkOf({ APPCTL_BASE_URL: 'https://other.example.com' })).toBe('https://other.example.com');
  const last = await serveOnce();
  const isShared = database.url.startsWith('postgres');
  expect(await linkOf()).toBe(isShared ? 'https://shop.example.com' : last);
});

test('setup and doctor know the address of a server that was told none', async () => {
  const env = { APPCTL_DATA_DIR: join(it.cwd, 'data'), APPCTL_DATABASE_URL: database.url };
  // The server before was told an address, which stays that of a database that several may share.
  const server = await startServer(['--base-url', 'http://127.0.0.1:9', '--trust-proxy', '1'], {
    cwd: it.cwd,
    env,
  });
  try {
    const made = await it.inside([
      'setup',
      '--no-input',
      '--owner-email',
      'ann@x.test',
      '--generate-password',
    ]);
    expect(made.stdout).toMatch(
      /^Shop +http:\/\/127\.0\.0\.1:9\/shop\/ .*http:\/\/127\.0\.0\.1:9\/store\/$/m,
    );
    expect(made.stderr).toContain('Checking what is left before a launch');
    const ids = [
      'config.base-url-served',
      'config.public-address',
      'config.base-url-matches-proxy',
      'admin.two-factor',
    ];
    const { stdout } = await it.inside(['doctor', ...ids, '--json']);
    expect(stdout).not.toContain(':8480');
    expect(stdout).toMatch(/links in emails and on pages begin with http:\/\/127\.0\.0\.1:9,/);
    expect(stdout).toContain('http://127.0.0.1:9/admin/profile/two-factor');
  } finally {
    await server.stop();
  }
});

test('a command that was told another database than the running server is refused, and names both', async () => {
  const server = await startServer([], {
    cwd: it.cwd,
    env: { APPCTL_DATA_DIR: join(it.cwd, 'data'), APPCTL_DATABASE_URL: database.url },
  });
  try {
    const left = `sqlite:${join(it.cwd, 'data/left.db')}`;
    const env = { APPCTL_DATABASE_URL: left };
    const { database: theirs } = JSON.parse(readFileSync(join(it.cwd, 'data/run/server.json'), 'utf8'));
    expect(theirs).not.toMatch(/:[^*/@]+@/);
    for (const line of ['product list', 'status', 'setup token']) {
      const run = await it.inside([...line.split(' '), '--json'], { env });
      expect([line, run.code, run.stdout]).toEqual([line, 78, '']);
      const { message, hint } = errorOf(run);
      expect(message).toContain(`uses ${theirs}, but this command would use ${left}`);
      expect(hint).toMatch(/APPCTL_DATABASE_URL.*--db/);
    }
    const doctor = await it.inside(['doctor', 'db.connect', '--json'], { env });
    expect([doctor.code, doctor.stdout]).toEqual([6, expect.stringContaining(`would use ${left}`)]);
    expect((await it.inside(['product', 'list'])).code).toBe(0);
    // What the line itself names is meant; here it is not there.
    expect((await it.inside(['product', 'list', '--db', left])).stderr).not.toContain(
      'this command would use',
    );
  } finally {
    await server.stop();
  }
  const after = await it.inside(['product', 'list'], { env: { APPCTL_DATABASE_URL: 'sqlite:left.db' } });
  expect(after.stderr).not.toContain('this command would use');
});
