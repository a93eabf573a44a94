// The units that `service` prints, installs and removes; systemd itself judges how far they are closed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf, program, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = scratchFolder('appctl-service-');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const EXE = ['--exe', '/usr/local/bin/appctl'];

async function printed(...words: string[]): Promise<{ unit: string; socket: string; unitPath: string }> {
  const run = await runInside(['service', 'print', ...EXE, '--json', ...words], { cwd });
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout);
}

/** Writes both units under their names, as systemd wants them. */
function written({ unit, socket }: { unit: string; socket: string }): string {
  writeFileSync(join(cwd, 'appctl.service'), unit);
  writeFileSync(join(cwd, 'appctl.socket'), socket);
  return join(cwd, 'appctl.service');
}

test('systemd rates the exposure of the service at most 1.5', async () => {
  const file = written(await printed());
  const words = ['security', '--offline=true', '--threshold=15', '--no-pager', file];
  const text = execFileSync('systemd-analyze', words, { encoding: 'utf8' });
  const exposure = Number(/Overall exposure level for appctl\.service: ([\d.]+)/.exec(text)?.[1]);
  expect(exposure).toBeGreaterThan(0);
  expect(exposure).toBeLessThanOrEqual(1.5);
});

test('the check after a start ends with the process of the unit', async () => {
  const { pid } = spawnSync('true');
  const run = await runCli(['health', '--wait', '900', '--json'], { cwd, env: { MAINPID: String(pid) } });
  expect([run.code, errorOf(run).code]).toEqual([9, 'UNHEALTHY']);
});

test('the manual shows what is printed', async () => {
  const run = await runInside(['service', 'print', ...EXE], { cwd });
  const page = readFileSync(join(import.meta.dirname, '../../templates/help/run-as-a-service.md'), 'utf8');
  expect(/```ini\n(.*?)\n```/s.exec(page)?.[1]).toBe(run.stdout.trimEnd());
});

describe('the units', () => {
  test('listen where the configuration says', async () => {
    const listen = '0.0.0.0:443,:8480,[::1]:9000,unix:/run/appctl/http.sock';
    const run = await runInside(['service', 'print', '--json'], {
      cwd,
      env: { APPCTL_LISTEN: listen, APPCTL_INSECURE_HTTP: 'on' },
    });
    const { socket } = JSON.parse(run.stdout);
    expect(socket.match(/^ListenStream=.*$/gm)).toEqual([
      'ListenStream=0.0.0.0:443',
      'ListenStream=8480',
      'ListenStream=[::1]:9000',
      'ListenStream=/run/appctl/http.sock',
    ]);
  });

  test('name account, environment file and program as they were asked for', async () => {
    const { unit, unitPath } = await printed(
      '--name',
      'shop',
      '--user',
      'www-data',
      '--unit-env-file',
      '/srv/shop.env',
    );
    expect(unitPath).toBe('/etc/systemd/system/shop.service');
    expect(unit).toContain('\nUser=www-data\n');
    expect(unit).not.toContain('DynamicUser');
    expect(unit).toContain('\nEnvironmentFile=-/srv/shop.env\n');
    expect(unit).toContain('\nExecStart=/usr/local/bin/appctl serve\n');
    const own = await printed('--scope', 'user');
    expect(own.unit).not.toMatch(/DynamicUser|LoadCredential|ProtectSystem/);
    expect(own.unit).toContain('WantedBy=default.target');
  });

  test.each([
    [['--name', '../x'], {}, /is not a valid name/],
    [['--scope', 'user', '--user', 'x'], {}, /--user is for --scope system/],
    [[], { APPCTL_LISTEN: '127.0.0.1:0' }, /needs an address that stays the same/],
    [[], { APPCTL_LISTEN: 'localhost:8480' }, /is a host name/],
  ])('%j with %j is refused', async (words, env, message) => {
    const run = await runInside(['service', 'print', ...words, '--json'], { cwd, env });
    expect(run.code).toBe(2);
    expect(errorOf(run).message).toMatch(message);
  });
});

describe('install', () => {
  const install = (...words: string[]) =>
    runInside(['service', 'install', ...EXE, '--root', join(cwd, 'root'), '--json', ...words], { cwd });
  const at = (path: string) => join(cwd, 'root', path);

  test('writes units, key and configuration once, and uninstall leaves the data', async () => {
    expect((await install('--dry-run')).code).toBe(0);
    expect(existsSync(join(cwd, 'root'))).toBe(false);
    expect((await install()).code).toBe(0);
    const key = readFileSync(at('etc/appctl/master.key'), 'utf8');
    expect(key).toMatch(/^[\w+/=-]{40,}\n$/);
    expect(statSync(at('etc/appctl/master.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(at('etc/appctl/appctl.toml'), 'utf8')).toContain('data_dir = "/var/lib/appctl"');
    expect(readFileSync(at('etc/systemd/system/appctl.service'), 'utf8')).toContain(
      'ExecStart=/usr/local/bin/appctl serve',
    );
    writeFileSync(at('etc/appctl/appctl.toml'), '# mine\n');
    expect((await install('--name', 'appctl')).code).toBe(0);
    expect(readFileSync(at('etc/appctl/master.key'), 'utf8')).toBe(key);
    expect(readFileSync(at('etc/appctl/appctl.toml'), 'utf8')).toBe('# mine\n');
    const words = ['service', 'uninstall', '--root', join(cwd, 'root')];
    expect((await runInside(words, { cwd })).code).toBe(10);
    const removed = await runInside([...words, '--yes'], { cwd });
    expect(removed.stdout).toContain(`The data stays in /var/lib/appctl and ${at('etc/appctl')}`);
    expect(existsSync(at('etc/systemd/system/appctl.socket'))).toBe(false);
    expect(existsSync(at('etc/appctl/master.key'))).toBe(true);
    expect((await runInside([...words, '--yes'], { cwd })).code).toBe(3);
  });

  test('takes over the key of a data directory that has one', async () => {
    mkdirSync(at('var/lib/appctl'), { recursive: true });
    writeFileSync(at('var/lib/appctl/master.key'), 'the key of its data\n', { mode: 0o600 });
    expect((await install()).code).toBe(0);
    expect(readFileSync(at('etc/appctl/master.key'), 'utf8')).toBe('the key of its data\n');
  });

  test('leaves a unit of somebody else alone: 5', async () => {
    mkdirSync(at('etc/systemd/system'), { recursive: true });
    writeFileSync(at('etc/systemd/system/appctl.service'), '[Unit]\n');
    const run = await install();
    expect(run.code).toBe(5);
    expect(errorOf(run).message).toMatch(/was not written by appctl service install/);
    expect(readFileSync(at('etc/systemd/system/appctl.service'), 'utf8')).toBe('[Unit]\n');
    expect(existsSync(at('etc/appctl'))).toBe(false);
  });

  test('without systemd ends with 5 and the way out', async () => {
    // In a namespace of its own, where nothing is in /run.
    const script = 'mount -t tmpfs none /run && exec "$0" "$@"';
    const run = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', script, process.execPath, program, 'service', 'install', '--json'],
      {
        cwd,
        encoding: 'utf8',
      },
    );
    expect(run.status).toBe(5);
    expect(run.stderr).toContain('systemd does not run on this machine');
    expect(run.stderr).toContain('--root DIR');
  });
});
