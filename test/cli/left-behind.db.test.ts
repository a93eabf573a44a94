// An empty database in place of a data directory's own, filled SQLite file is refused, with the command that copies it.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { type FreshDatabase, freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { startServer } from '../support/server-process.ts';

let cwd: string;
let empty: FreshDatabase;
beforeEach(async () => {
  cwd = scratchFolder('appctl-left-');
  empty = await freshDatabaseUrl();
  await appctl('setup --owner-email a@x.test --generate-password --product editor');
  await appctl('license mint --product editor --email ann@x.test');
});
afterEach(async () => {
  await empty.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const appctl = (line: string, env: Record<string, string> = {}) => runInside(line.split(' '), { cwd, env });
const refused = {
  code: 78,
  stderr: expect.stringMatching(
    /is empty, but this data directory holds an installation with 1 license and 0 orders in .*appctl\.db/,
  ),
};

test('setup, serve, migrate up and doctor refuse it and name the copy, whatever names the address', async () => {
  const env = { APPCTL_DATABASE_URL: empty.url };
  for (const line of [
    'setup --owner-email b@x.test --generate-password',
    'serve --listen 127.0.0.1:0',
    'migrate up',
  ]) {
    const run = await appctl(line, env);
    expect(run).toMatchObject(refused);
    expect(run.stderr).toMatch(/appctl db copy --db sqlite:\S+appctl\.db --to-env APPCTL_DATABASE_URL\n/);
    expect(run.stderr).toContain('appctl serve --fresh');
  }
  const doctor = await appctl('doctor db.installation --json', env);
  expect(doctor.stdout).toContain('appctl db copy --db sqlite:');
  writeFileSync(join(cwd, 'url'), empty.url);
  const byFile = await appctl('migrate up', { APPCTL_DATABASE_URL_FILE: join(cwd, 'url') });
  expect(byFile.stderr).toContain('--to-file "$APPCTL_DATABASE_URL_FILE"');
  const byFlag = await appctl(`migrate up --db ${empty.url}`);
  expect(byFlag.stderr).toContain(`--to ${empty.url}`);
});

test('after the copy it starts without a word', async () => {
  const env = { APPCTL_DATABASE_URL: empty.url };
  const db = `sqlite:${join(cwd, 'data/appctl.db')}`;
  expect((await appctl(`db copy --db ${db} --to-env APPCTL_DATABASE_URL`, env)).code).toBe(0);
  const run = await appctl('license list --json', env);
  expect([run.code, JSON.parse(run.stdout).pagination.total, run.stderr]).toEqual([0, 1, '']);
});

test('--fresh begins an empty one, which is remembered', async () => {
  const env = { APPCTL_DATABASE_URL: empty.url };
  const fresh = await appctl('setup --fresh --owner-email b@x.test --generate-password', env);
  expect(fresh.code).toBe(0);
  expect((await appctl('setup --force --owner-email c@x.test --generate-password', env)).code).toBe(0);
  expect(JSON.parse((await appctl('license list --json', env)).stdout).pagination.total).toBe(0);
});

test('a file that holds no installation is in nobody’s way', async () => {
  rmSync(join(cwd, 'data'), { recursive: true });
  await appctl('setup --owner-email a@x.test --generate-password', { APPCTL_DATABASE_URL: empty.url });
  writeFileSync(join(cwd, 'data/appctl.db'), 'no database');
  const run = await appctl('license list --json', { APPCTL_DATABASE_URL: empty.url });
  expect(run.code).toBe(0);
});

const installationOf = async (env: Record<string, string> = {}) => {
  const { stdout } = await appctl('doctor db.installation --json', env);
  return (JSON.parse(stdout) as { checks: { status: string; message: string; hint: string }[] }).checks[0];
};

test('after a move the old file is not served again, until the new one was copied back into it', async () => {
  const env = { APPCTL_DATABASE_URL: empty.url };
  const servedOnce = async (more: Record<string, string>) => {
    const server = await startServer([], { cwd, env: more });
    expect((await server.stop()).code).toBe(0);
    return server.stderr();
  };
  await servedOnce({});
  const copied = await appctl('db copy --to-env TARGET', { TARGET: empty.url });
  expect([copied.code, copied.stderr]).toEqual([0, expect.stringMatching(/Serve only one of them/)]);
  await servedOnce(env);
  const back = await appctl('serve --listen 127.0.0.1:0');
  expect(back).toMatchObject({
    code: 78,
    stderr: expect.stringMatching(
      /this installation moved from sqlite:\S+appctl\.db to .*APPCTL_DATABASE_URL/s,
    ),
  });
  expect(await installationOf()).toMatchObject({ status: 'fail', hint: expect.stringContaining('remove ') });
  const old = `sqlite:${join(cwd, 'data/appctl.db')}`;
  const { stdout } = await appctl('backup create --json', env);
  const backup = (JSON.parse(stdout) as { file: string }).file;
  for (const line of ['license list', 'backup create', 'status', `restore ${backup} --confirm appctl`])
    expect(await appctl(line)).toMatchObject({
      code: 78,
      stdout: '',
      stderr: expect.stringMatching(/what happened since is not in .*add --db sqlite:\S+appctl\.db\n/s),
    });
  expect((await appctl(`license list --db ${old}`)).code).toBe(0);
  expect((await appctl('license list', env)).code).toBe(0);
  expect(await installationOf(env)).toMatchObject({ status: 'ok' });
  await servedOnce(env);
  const db = `sqlite:${join(cwd, 'data/appctl.db')}`;
  expect((await appctl(`db copy --to ${db} --confirm appctl`, env)).code).toBe(0);
  await servedOnce({});
  rmSync(join(cwd, 'data/last-copy'));
  const again = await appctl('serve --listen 127.0.0.1:0', env);
  expect([again.code, again.stderr]).toEqual([
    78,
    expect.stringContaining(`remove ${join(cwd, 'data/served')}`),
  ]);
  rmSync(join(cwd, 'data/served'));
  await servedOnce(env);
}, 120_000);

test('a copy that a server may use is warned of by a start and by doctor, a backup is not', async () => {
  const target = empty.url;
  expect((await appctl('db copy --to sqlite:backup.db')).code).toBe(0);
  // Written again, the file does not look as if a server had used it.
  expect((await appctl('db copy --to sqlite:backup.db --confirm appctl')).code).toBe(0);
  expect(await installationOf()).toMatchObject({ status: 'ok' });
  expect((await appctl('db copy --to-env TARGET', { TARGET: target })).code).toBe(0);
  if (target.startsWith('sqlite:')) {
    expect(await installationOf()).toMatchObject({ status: 'ok' });
    writeFileSync(`${target.slice('sqlite:'.length)}-server`, '');
  }
  expect(await installationOf()).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(/was copied to .*both send every webhook/),
  });
  const server = await startServer([], { cwd });
  const run = await server.stop();
  expect(run.stdout + run.stderr).toContain('both send every webhook');
}, 120_000);
