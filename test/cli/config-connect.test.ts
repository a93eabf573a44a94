import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { type CliOptions, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let cwd: string;
beforeAll(() => {
  cwd = scratchFolder('appctl-connect-');
});
afterAll(() => rmSync(cwd, { recursive: true }));

const appctl = (args: string[], options: CliOptions = {}) => runInside(args, { cwd, ...options });
/** In a process of its own, whose log is seen. */
const spawned = (args: string[], options: CliOptions = {}) => runCli(args, { cwd, ...options });

test('check --connect opens the database: 9 when it does not answer', async () => {
  const fresh = await appctl(['config', 'check', '--connect', '--json']);
  expect(fresh.code).toBe(0);
  expect(JSON.parse(fresh.stdout).warnings).toMatchObject([{ key: 'database.url' }]);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
  const db = 'postgres://u:geheim@127.0.0.1:1/none';
  const away = await spawned(['config', 'check', '--connect', '--db', db, '--json']);
  expect(away.code).toBe(9);
  expect(JSON.parse(away.stdout)).toMatchObject({ valid: false, problems: [{ key: 'database.url' }] });
  expect(away.stdout + away.stderr).not.toContain('geheim');
});

test('check --connect tries the storage: 9 and the key when it cannot be used', async () => {
  writeFileSync(join(cwd, 'file'), '');
  const local = await appctl(['config', 'check', '--connect'], { env: { APPCTL_BUNDLES_DIR: 'file' } });
  expect(local.code).toBe(9);
  expect(local.stdout).toMatch(/problem: storage\.bundles_dir: .*not a folder/);
  const env = {
    APPCTL_STORAGE_URL: 's3://bundles?endpoint=http://127.0.0.1:1',
    APPCTL_S3_ACCESS_KEY_ID: 'id',
    APPCTL_S3_SECRET_ACCESS_KEY: 'geheim',
  };
  const away = await appctl(['config', 'check', '--connect', '--json'], { env });
  expect(away.code).toBe(9);
  const problem = { key: 'storage.url', message: 'http://127.0.0.1:1 cannot be reached (ECONNREFUSED)' };
  expect(JSON.parse(away.stdout)).toMatchObject({ valid: false, problems: [problem] });
  expect(away.stdout + away.stderr).not.toContain('geheim');
});
