// The data directory: what is told of one that cannot be made, and who may read the files in it.
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConfigError } from '#kernel/config/errors.ts';
import { makeDataDirectory } from '../../src/app/data-directory.ts';
import { runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { startServer } from '../support/server-process.ts';

let cwd: string;
beforeEach(() => {
  cwd = scratchFolder('appctl-directory-');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

test('a data directory below one that cannot be written: the message names the one that is there', async () => {
  const isRoot = process.getuid?.() === 0;
  mkdirSync(join(cwd, 'ro'), { mode: 0o555 });
  const place = join(cwd, 'ro/d/e');
  const failure = () => {
    try {
      if (isRoot) process.seteuid?.(65_534);
      makeDataDirectory(place);
    } catch (error) {
      return error as ConfigError;
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    return undefined;
  };
  chmodSync(cwd, 0o755);
  expect(failure()?.problems).toEqual([
    {
      key: 'data_dir',
      message: `${place} cannot be created: this user cannot write to ${join(cwd, 'ro')}`,
      hint: expect.stringContaining('install -d -m 700 -o'),
    },
  ]);
});

test('the database files are for their owner only, whatever the folder allows', async () => {
  mkdirSync(join(cwd, 'data'), { mode: 0o755 });
  const server = await startServer([], { cwd, env: {} });
  const names = ['appctl.db', 'appctl.db-wal', 'appctl.db-shm', 'appctl.db-server'];
  const modes = names.map((name) => statSync(join(cwd, 'data', name)).mode & 0o777);
  await server.stop();
  expect(modes).toEqual(names.map(() => 0o600));
});

test('commands of root leave nothing in a data directory that the service cannot use', async () => {
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? 65_534 : (process.getuid?.() ?? 0);
  chmodSync(cwd, 0o755);
  mkdirSync(join(cwd, 'data'), { mode: 0o700 });
  if (isRoot) chownSync(join(cwd, 'data'), owner, owner);
  // As systemd reads it: the service itself cannot.
  const variables = join(cwd, 'appctl.env');
  writeFileSync(variables, 'APPCTL_BACKUP_KEEP=3,2,1\nAPPCTL_SERVICE_NAME=shop\n', { mode: 0o600 });
  const run = async (line: string) => {
    const { code, stdout, stderr } = await runCli(['--env-file', variables, ...line.split(' '), '--json'], {
      cwd,
    });
    expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, '']);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  await run('setup --no-input --owner-email a@x.test --generate-password');
  expect(await run('jobs run backup --wait')).toMatchObject({ status: 'ok' });
  const { items } = (await run('backup list')) as { items: { file: string }[] };
  const file = items[0]?.file ?? '';
  // Only who came first made this folder.
  rmSync(join(cwd, 'data/backup-work'), { recursive: true });
  await run(`backup verify ${file}`);
  await run('db check');
  await run(`restore ${file} --confirm shop`);
  const others = readdirSync(join(cwd, 'data'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => statSync(join(cwd, 'data', path)).uid !== owner,
  );
  expect(others).toEqual([]);
}, 120_000);
