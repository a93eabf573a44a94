// The data directory: what is told of one that cannot be made, and who may read the files in it.
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConfigError } from '#kernel/config/errors.ts';
import { makeDataDirectory } from '../../src/app/data-directory.ts';
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
