import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checks } from '../../src/app/capabilities.ts';
import { DoctorOutput } from '../../src/cli/doctor/schemas.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliRun, errorOf, runCli } from '../support/cli-process.ts';
import { breakDatabaseIn, findingOf } from '../support/doctor.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let cwd: string;
beforeAll(async () => {
  cwd = scratchFolder('appctl-doctor-');
  expect((await appctl(['setup', '--owner-email', 'a@x.test', '--generate-password'])).code).toBe(0);
  expect((await appctl(['jobs', 'list'])).code).toBe(0);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const data = (name: string) => join(cwd, 'data', name);
const within = (env: Record<string, string>) => ({ cwd, env: { APPCTL_LISTEN: '127.0.0.1:0', ...env } });
const appctl = (args: string[], env: Record<string, string> = {}) => runInside(args, within(env));
/** The same as a process. */
const spawned = (args: string[], env: Record<string, string> = {}) => runCli(args, within(env));

describe('doctor', () => {
  test('--list, --category and unknown names', async () => {
    const list = DoctorOutput.parse(JSON.parse((await appctl(['doctor', '--list', '--json'])).stdout));
    expect(list.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
    const run = await appctl(['doctor', '--category', 'db', '--plain']);
    expect(
      run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('.', 1)[0]),
    ).toEqual(checks.flatMap(({ id }) => (id.startsWith('db.') ? ['db'] : [])));
    const launch = await appctl(['doctor', '--category', 'launch', '--plain']);
    const left = launch.stdout.trimEnd().split('\n');
    expect(left).toHaveLength(checks.filter((check) => check.launch !== undefined).length);
    for (const words of [['db.integrty'], ['--category', 'nothing']]) {
      const unknown = await appctl(['doctor', ...words, '--json']);
      expect({ code: unknown.code, stdout: unknown.stdout }).toEqual({ code: 3, stdout: '' });
      expect(errorOf(unknown).hint).toMatch(/\w+ \w+/);
    }
    expect((await appctl(['doctor', '-n', '--json'])).code).toBe(2);
  });

  test('a failure is 6, a warning 0, with --strict 8', async () => {
    const off = { APPCTL_RATE_LIMIT: 'off' };
    const code = async (env: Record<string, string>, ...args: string[]) =>
      (await appctl(['doctor', 'config.rate-limit-off', 'config.valid', ...args, '--json'], env)).code;
    expect(await code({ APPCTL_LISTEN: 'nowhere' })).toBe(6);
    expect([await code(off), await code(off, '--strict'), await code({}, '--strict')]).toEqual([0, 8, 0]);
  });

  test('jobs.last-run leaves out the jobs of a service that is switched off', async () => {
    breakDatabaseIn(cwd, ["UPDATE scheduled_jobs SET last_status = 'failed' WHERE name = 'license-expiry'"]);
    expect(await findingOf(cwd, 'jobs.last-run')).toMatchObject({ status: 'fail' });
    const without = await findingOf(cwd, 'jobs.last-run', { APPCTL_FEATURE_LICENSE: 'off' });
    expect(without).toMatchObject({ status: 'ok' });
    breakDatabaseIn(cwd, ['UPDATE scheduled_jobs SET last_status = NULL']);
  });

  test('a damaged database names the backup as the cure, also where the check itself breaks', async () => {
    cpSync(data(''), join(cwd, 'damaged'), { recursive: true });
    const connection = new Driver(join(cwd, 'damaged/appctl.db'));
    connection.pragma('wal_checkpoint(TRUNCATE)');
    const pages = connection
      .prepare("SELECT rootpage FROM sqlite_master WHERE tbl_name = 'licenses'")
      .pluck()
      .all() as number[];
    connection.close();
    const file = openSync(join(cwd, 'damaged/appctl.db'), 'r+');
    for (const page of pages) writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
    closeSync(file);
    const run = await appctl(['doctor', 'db.integrity', '--data-dir', 'damaged', '--json']);
    expect(run.code).toBe(6);
    const [found] = DoctorOutput.parse(JSON.parse(run.stdout)).checks;
    expect(found).toMatchObject({ status: 'fail', hint: expect.stringContaining('restore a backup') });
  });

  test('without an installation nothing breaks, and nothing is made', async () => {
    const empty = join(cwd, 'empty');
    const run = await spawned(['doctor', '--data-dir', empty, '--json']);
    expect(run.code).toBe(6);
    const { checks: found } = DoctorOutput.parse(JSON.parse(run.stdout));
    expect(found.find(({ id }) => id === 'db.connect')).toMatchObject({ status: 'fail' });
    expect(() => statSync(empty)).toThrow('ENOENT');
    const broken = await appctl(['doctor', '--json'], { APPCTL_LISTEN: 'nowhere' });
    expect(JSON.parse(broken.stdout).summary.fail).toBe(1);
  });

  test('--fix turns the fixable ones green', async () => {
    const connection = new Driver(data('appctl.db'));
    connection.exec(
      "UPDATE scheduled_jobs SET lock_owner = 'gone:1', locked_until = '2026-01-01T00:00:00.000Z'",
    );
    connection.close();
    expect((await appctl(['migrate', 'down', '--yes'])).code).toBe(0);
    writeFileSync(join(cwd, 'appctl.toml'), '[metrics]\ntoken = "geheim"\n', { mode: 0o644 });
    chmodSync(data('master.key'), 0o644);
    const run = await spawned(['doctor', '--fix', '--json']);
    expect(fixedBy(run)).toEqual([
      'env.file-permissions',
      'config.secrets-world-readable',
      'db.migrations',
      'jobs.stuck',
    ]);
    expect(run.code).toBe(0);
    writeFileSync(data('appctl.db-wal'), '');
    truncateSync(data('appctl.db-wal'), 100_000_000);
    expect(fixedBy(await appctl(['doctor', 'db.wal', '--fix', '--json']))).toEqual(['db.wal']);
  });

  const fixedBy = (run: CliRun) =>
    DoctorOutput.parse(JSON.parse(run.stdout)).checks.flatMap(({ id, status, fixed }) =>
      fixed && status === 'ok' ? [id] : [],
    );
});
