// The units that `service` prints, installs and removes; systemd itself judges how far they are closed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { judgeUnits } from '../../src/platform/service-unit/checks.ts';
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

test('folders beside the data directory that the configuration names are open to the service', async () => {
  const env = { APPCTL_BACKUP_DIR: '/srv/backups', APPCTL_LOG_FILE: '/var/log/appctl/appctl.log' };
  const run = await runInside(['service', 'print', ...EXE, '--json'], { cwd, env });
  const { unit } = JSON.parse(run.stdout);
  expect(unit).toContain('\nReadWritePaths=-/srv/backups -/var/log/appctl\n');
  expect((await printed()).unit).not.toContain('ReadWritePaths');
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

describe('sockets that redirect', () => {
  const env = {
    APPCTL_LISTEN: ':443',
    APPCTL_BASE_URL: 'https://one.test',
    APPCTL_TLS_CERT: 'cert.pem',
    APPCTL_TLS_KEY: 'key.pem',
    APPCTL_TLS_REDIRECT_LISTEN: ':80,[::1]:8080',
  };
  const service = (...words: string[]) => runInside(['service', ...words, '--json'], { cwd, env });

  test('have a unit of their own, which systemd accepts', async () => {
    const { unit, socket, redirectSocketPath, redirectSocket } = JSON.parse((await service('print')).stdout);
    expect(redirectSocketPath).toBe('/etc/systemd/system/appctl-redirect.socket');
    expect(redirectSocket.match(/^(ListenStream|FileDescriptorName|Service)=.*$/gm)).toEqual([
      'ListenStream=80',
      'ListenStream=[::1]:8080',
      'FileDescriptorName=redirect',
      'Service=appctl.service',
    ]);
    expect(unit.match(/^(Requires|Sockets)=.*$/gm)).toEqual([
      'Requires=appctl.socket appctl-redirect.socket',
      'Sockets=appctl.socket appctl-redirect.socket',
    ]);
    written({ unit, socket });
    writeFileSync(join(cwd, 'appctl-redirect.socket'), redirectSocket);
    const units = ['appctl.service', 'appctl.socket', 'appctl-redirect.socket'].map((name) =>
      join(cwd, name),
    );
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], {
      encoding: 'utf8',
    });
    expect([status, stderr.split('\n').filter((line) => line.includes('appctl'))]).toEqual([0, []]);
  });

  test('go when they are not wanted any more, and with the service', async () => {
    const root = ['--root', join(cwd, 'root'), ...EXE];
    const path = join(cwd, 'root/etc/systemd/system/appctl-redirect.socket');
    expect((await service('install', ...root)).code).toBe(0);
    expect(existsSync(path)).toBe(true);
    expect((await runInside(['service', 'install', ...root], { cwd })).code).toBe(0);
    expect(existsSync(path)).toBe(false);
    expect((await service('install', ...root)).code).toBe(0);
    const removed = await runInside(['service', 'uninstall', '--root', join(cwd, 'root'), '--yes'], { cwd });
    expect([removed.code, existsSync(path)]).toEqual([0, false]);
  });

  test('cannot be host names', async () => {
    const more = { ...env, APPCTL_TLS_REDIRECT_LISTEN: 'localhost:80' };
    const run = await runInside(['service', 'print', '--json'], { cwd, env: more });
    expect([run.code, errorOf(run).message]).toEqual([2, expect.stringMatching(/is a host name/)]);
  });
});

describe('doctor', () => {
  const listen = [{ kind: 'tcp', host: '127.0.0.1', port: 8480 }] as const;
  const wanted = { dataDir: '/var/lib/appctl', listen, redirectListen: [] };
  const machine = () => ({ root: join(cwd, 'root'), home: cwd });
  const install = (...words: string[]) =>
    runInside(['service', 'install', ...EXE, '--root', join(cwd, 'root'), '--json', ...words], { cwd });
  const change = (file: string, from: string, to: string): void => {
    const path = join(cwd, 'root/etc/systemd/system', file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
  };

  test('names the command that replaces a unit of an older version', async () => {
    expect(judgeUnits(wanted, machine()).status).toBe('skip');
    await install();
    expect(judgeUnits(wanted, machine())).toMatchObject({ status: 'ok' });
    change('appctl.service', 'health --wait 900', 'health --wait 20');
    expect(judgeUnits(wanted, machine())).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('appctl.service differs from what this version writes'),
      hint: 'sudo appctl service install',
    });
    await install();
    expect(judgeUnits(wanted, machine())).toMatchObject({ status: 'ok' });
  });

  test('keeps what it was installed with', async () => {
    const file = join(cwd, 'shop.env');
    writeFileSync(file, 'APPCTL_LISTEN=127.0.0.1:9000\n');
    expect((await install('--name', 'shop', '--user', 'www-data', '--unit-env-file', file)).code).toBe(0);
    const own = { ...wanted, dataDir: '/var/lib/shop' };
    expect(judgeUnits(own, machine())).toMatchObject({ status: 'ok' });
    change('shop.socket', 'NoDelay=yes\n', '');
    expect(judgeUnits(own, machine())).toMatchObject({
      status: 'warn',
      hint: `sudo appctl --env-file ${file} service install --name shop --config /etc/shop/appctl.toml --user www-data --unit-env-file ${file}`,
    });
    expect(judgeUnits(wanted, machine()).status).toBe('skip');
  });

  test('notices that listen was changed since', async () => {
    await install();
    const listen = [{ kind: 'tcp', host: '127.0.0.1', port: 9000 }] as const;
    expect(judgeUnits({ ...wanted, listen }, machine())).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(
        /appctl.service are 127\.0\.0\.1:8480, but listen is set to 127\.0\.0\.1:9000$/,
      ),
      hint: 'sudo appctl service install',
    });
  });

  test('misses sockets for tls.redirect_listen, and says nothing of units of others', async () => {
    await install();
    const redirectListen = [{ kind: 'tcp', host: null, port: 80 }] as const;
    expect(judgeUnits({ ...wanted, redirectListen }, machine())).toMatchObject({
      status: 'warn',
      isTrouble: true,
      message: expect.stringContaining('no sockets for tls.redirect_listen'),
    });
    change('appctl.service', '# Written by appctl service install\n', '');
    expect(judgeUnits({ ...wanted, redirectListen }, machine()).status).toBe('skip');
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
    expect(readFileSync(at('etc/sysusers.d/appctl.conf'), 'utf8')).toContain(
      '\nu appctl - "appctl service" /var/lib/appctl\n',
    );
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

  test('again has a service that runs go on with what changed', () => {
    // In a namespace of its own that looks like one with systemd, whose command notes what it is told.
    const tools = join(cwd, 'tools');
    mkdirSync(tools);
    const script = `#!/bin/sh
echo "$@" >> ${cwd}/told
case "$*" in *is-active*) test -e ${cwd}/runs;; *enable*) touch ${cwd}/runs;; esac
`;
    writeFileSync(join(tools, 'systemctl'), script, { mode: 0o755 });
    const again = (more: Record<string, string> = {}): string[] => {
      rmSync(join(cwd, 'told'), { force: true });
      const words = ['service', 'install', '--scope', 'user', ...EXE, '--yes'];
      const run = spawnSync(
        'unshare',
        [
          ...[
            '-rm',
            'sh',
            '-c',
            'mount -t tmpfs none /run && mkdir -p /run/systemd/system && exec "$0" "$@"',
          ],
          ...[process.execPath, program, ...words],
        ],
        { cwd, encoding: 'utf8', env: { PATH: `${tools}:/usr/bin:/bin`, HOME: cwd, ...more } },
      );
      expect([run.status, run.stderr.includes('error')]).toEqual([0, false]);
      const told = readFileSync(join(cwd, 'told'), 'utf8').trim().split('\n');
      return told.map((line) => line.replace('--user ', '')).filter((line) => !line.startsWith('is-active'));
    };
    const enable = 'enable --now appctl.socket appctl.service';
    expect(again()).toEqual(['daemon-reload', enable]);
    expect(again()).toEqual(['daemon-reload', enable]);
    const unit = join(cwd, '.config/systemd/user/appctl.service');
    writeFileSync(unit, readFileSync(unit, 'utf8').replace('--wait 900', '--wait 20'));
    expect(again()).toEqual(['daemon-reload', enable, 'restart appctl.service']);
    const env = {
      APPCTL_BASE_URL: 'https://one.test',
      APPCTL_TLS_CERT: 'cert.pem',
      APPCTL_TLS_KEY: 'key.pem',
      APPCTL_TLS_REDIRECT_LISTEN: ':80',
    };
    expect(again(env)).toEqual([
      'stop appctl.service appctl.socket',
      'daemon-reload',
      'enable --now appctl.socket appctl-redirect.socket appctl.service',
    ]);
    expect(again()).toEqual([
      'stop appctl.service appctl.socket appctl-redirect.socket',
      'disable appctl-redirect.socket',
      'daemon-reload',
      enable,
    ]);
  });
});
