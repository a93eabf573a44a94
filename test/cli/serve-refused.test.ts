// What a server or a command cannot use ends with a code that a supervisor understands, and with what cures it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressFailure } from '../../src/app/address-failure.ts';
import { toFailure } from '../../src/cli/frame/exits.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliRun, errorOf, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, startServer } from '../support/server-process.ts';
import { prepareInstallation } from './prepared-installation.ts';

let cwd: string;
beforeEach(() => {
  cwd = scratchFolder('appctl-refused-');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const serve = (args: readonly string[], env: Record<string, string> = {}) =>
  runCli(['serve', ...args, '--json'], { cwd, env });

/** @param named a part of the message; @param cure a part of the hint */
function expectRefusal(run: CliRun, code: number, named: string, cure: string) {
  const { message, hint } = errorOf(run);
  expect({ code: run.code, message, hint }).toEqual({
    code,
    message: expect.stringContaining(named),
    hint: expect.stringContaining(cure),
  });
}

describe('an address that cannot be had', () => {
  test.each([
    ['203.0.113.5:0', '203.0.113.5:0 is not an address of this machine', '--listen'],
    ['no-such-host.invalid:0', 'names a host that cannot be resolved', 'IP address'],
    ['unix:/no-such-folder/http.sock', 'unix:/no-such-folder/http.sock cannot be created', '/no-such-folder'],
    ['fd:77', 'fd:77 is not an open listening socket', 'systemd'],
  ])('%s ends with 78', async (address, named, cure) => {
    const env = { APPCTL_INSECURE_HTTP: 'on' };
    expectRefusal(await serve(['--listen', address], env), 78, named, cure);
    expect(existsSync(join(cwd, 'data/run/appctl.sock'))).toBe(false);
  });

  test('a unix path longer than a socket address is refused by config check too', async () => {
    const longest = `/${'s'.repeat(106)}`;
    const check = async (path: string) => {
      const run = await runInside(['config', 'check', '--json'], {
        cwd,
        env: { APPCTL_LISTEN: `unix:${path}` },
      });
      return { code: run.code, problems: JSON.parse(run.stdout).problems };
    };
    expect(await check(longest)).toEqual({ code: 0, problems: [] });
    expect(await check(`${longest}s`)).toEqual({
      code: 78,
      problems: [
        {
          key: 'listen',
          message: expect.stringContaining(
            'has 108 bytes, but a socket path on this system can have at most 107',
          ),
          hint: expect.stringContaining('shorter'),
        },
      ],
    });
  });

  test.each([
    ['EACCES', { kind: 'tcp', host: null, port: 80 }, 78, ':80 cannot be used by this user', 'CAP_NET_BIND'],
    ['EACCES', { kind: 'tcp', host: null, port: 8080 }, 78, ':8080 cannot be used by this user', '--listen'],
    ['EAFNOSUPPORT', { kind: 'tcp', host: '::1', port: 80 }, 78, '[::1]:80 is not an address', '--listen'],
    ['EADDRINUSE', { kind: 'tcp', host: null, port: 80 }, 5, ':80 is in use', '--listen'],
    ['EADDRINUSE', { kind: 'unix', path: '/a' }, 5, 'unix:/a is in use', 'remove the file at that path'],
    ['EMFILE', { kind: 'tcp', host: null, port: 80 }, 1, 'EMFILE', '--debug'],
  ] as const)('%s on %j ends with %i', (code, address, exit, named, cure) => {
    const failure = toFailure(addressFailure(Object.assign(new Error(code), { code }), address));
    expect(failure).toMatchObject({
      exit,
      message: expect.stringContaining(named),
      hint: expect.stringContaining(cure),
    });
  });
});

describe('plain HTTP beyond this machine', () => {
  const reachable = 'other machines would reach 0.0.0.0:0 over plain HTTP';

  test('ends with 78 before anything is made, and config check says the same; other commands go on', async () => {
    const env = { APPCTL_LISTEN: '0.0.0.0:0' };
    // A process of its own: the whole server is more than this one need load.
    expectRefusal(await serve([], env), 78, reachable, 'tls.cert');
    expect(existsSync(join(cwd, 'data'))).toBe(false);
    const check = await runInside(['config', 'check', '--json'], { cwd, env });
    expect([check.code, JSON.parse(check.stdout)]).toMatchObject([
      78,
      { valid: false, problems: [{ key: 'listen', message: expect.stringContaining(reachable) }] },
    ]);
    expect((await runInside(['config', 'show', 'listen'], { cwd, env })).code).toBe(0);
  });

  test('of an address that this machine does not have says so first; --port leads to --listen', async () => {
    expectRefusal(
      await serve(['--listen', '10.99.99.99:1']),
      78,
      'is not an address of this machine',
      '--listen',
    );
    const port = await runInside(['serve', '--port', '80', '--json'], { cwd });
    expect([port.code, port.stderr]).toEqual([2, expect.stringContaining('did you mean --listen?')]);
  });

  test('is served with insecure_http, and with --dev', async () => {
    for (const [args, env] of [
      [[], { APPCTL_INSECURE_HTTP: 'on' }],
      [['--dev'], {}],
    ] as const) {
      const server = await startServer(['--listen', '0.0.0.0:0', ...args], { cwd, env });
      expect((await fetch(`${server.url.replace('0.0.0.0', '127.0.0.1')}/api/health`)).status).toBe(200);
      expect((await server.stop()).code).toBe(0);
    }
  });

  test('of an inherited socket is refused too', async () => {
    const socket = createServer().listen(0, '0.0.0.0');
    await once(socket, 'listening');
    const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
    const inherit = (env: Record<string, string>) =>
      startServer(['--listen', 'fd:3'], { cwd, env, stdio: [fd] });
    await expect(inherit({})).rejects.toThrow(/ended with 78.*over plain HTTP/);
    const server = await inherit({ APPCTL_INSECURE_HTTP: 'on' });
    socket.close();
    expect((await server.stop()).code).toBe(0);
  });
});

describe('a data directory that cannot be used ends with 78', () => {
  test.each(['file', 'file/below'])('%s', async (path) => {
    writeFileSync(join(cwd, 'file'), '');
    const run = await serve(['--listen', '0', '--data-dir', path]);
    expectRefusal(run, 78, `${join(cwd, path)} is not a directory`, '--data-dir');
  });

  test.runIf(existsSync('/proc/self'))('in a place where nothing can be made', async () => {
    expectRefusal(
      await serve(['--listen', '0', '--data-dir', '/proc/appctl']),
      78,
      '/proc/appctl cannot be created there',
      'writable disk',
    );
  });

  test('that belongs to somebody else', async () => {
    const isRoot = process.getuid?.() === 0;
    chmodSync(cwd, 0o755);
    mkdirSync(join(cwd, 'data'));
    // Root becomes the owner, and the owner took the right away from himself.
    if (isRoot) chownSync(join(cwd, 'data'), 65_534, 65_534);
    chmodSync(join(cwd, 'data'), 0o555);
    const run = await serve(['--listen', '0']);
    chmodSync(join(cwd, 'data'), 0o755);
    expectRefusal(run, 78, `${join(cwd, 'data')} cannot be written by this user`, 'chown -R');
  });
});

describe('flags of a supervisor', () => {
  test('--pid-file in a missing folder ends with 2 before anything is made', async () => {
    expectRefusal(
      await serve(['--listen', '0', '--pid-file', '/nowhere/pid']),
      2,
      '/nowhere',
      'another folder',
    );
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  test('--ready-fd that nobody opened ends with 2 and leaves nothing behind', async () => {
    const run = await serve(['--listen', '0', '--ready-fd', '777', '--pid-file', 'pid']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--ready-fd 777 cannot be written (EBADF)');
    expect(
      ['pid', 'data/run/server.json', 'data/run/appctl.sock'].map((name) => existsSync(join(cwd, name))),
    ).toEqual([false, false, false]);
  });
});

describe('a database that does not take the write', () => {
  test('license mint on a locked database ends with 9, and nothing was made', async () => {
    const own = await prepareInstallation();
    await own.answer(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
    const holder = spawn(process.execPath, ['-e', HOLD_LOCK, join(own.cwd, 'data/appctl.db')], {
      cwd: import.meta.dirname,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    const env = { APPCTL_DATABASE_BUSY_TIMEOUT_MS: '200' };
    const mint = ['license', 'mint', '--product', 'editor', '--email', 'ann@example.com', '--json'];
    const run = await own.inside(mint, { env });
    holder.stdin.end();
    await once(holder, 'close');
    expectRefusal(run, 9, 'the database is locked', 'run the command again');
    expect(await own.answer(['license', 'list'])).toMatchObject({ pagination: { total: 0 } });
    own.remove();
  });

  test.each([
    ['SQLITE_BUSY_SNAPSHOT', 'the database is locked', 'again'],
    ['SQLITE_FULL', 'the disk of the database is full', 'df -h'],
    ['SQLITE_READONLY_DBMOVED', 'read-only', 'writable'],
    ['SQLITE_CORRUPT', 'the database is damaged', 'restore a backup'],
    ['SQLITE_IOERR_WRITE', 'reported an error', 'dmesg'],
    ['SQLITE_CANTOPEN', 'cannot be reached', 'config check'],
    ['55P03', 'the database is locked', 'again'],
    ['53100', 'the disk of the database is full', 'df -h'],
    ['25006', 'read-only', 'primary'],
    ['XX001', 'the database is damaged', 'restore a backup'],
  ])('%s is told in words and ends with 9', (code, named, cure) => {
    const severity = code.startsWith('SQLITE_') ? {} : { severity: 'ERROR' };
    const error = Object.assign(new Error('in the words of the driver'), { code, ...severity });
    expect(toFailure(error)).toMatchObject({
      exit: 9,
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringMatching(`${named}.*${code}: in the words of the driver`),
      hint: expect.stringContaining(cure),
    });
  });

  test.each([
    ['SQLITE_CONSTRAINT_CHECK', 'INTERNAL_ERROR'],
    ['23514', 'INTERNAL_ERROR'],
    ['ENOSPC', 'INTERNAL_ERROR'],
  ])('%s is not the fault of the database', (code, named) => {
    expect(toFailure(Object.assign(new Error('x'), { code, severity: 'ERROR' }))).toMatchObject({
      exit: 1,
      code: named,
    });
  });
});

describe('APPCTL_LOG_FILE', () => {
  test('is the log file, private, and opened anew by SIGHUP', async () => {
    const file = join(cwd, 'server.log');
    const server = await startServer([], { cwd, env: { APPCTL_LOG_FILE: file } });
    const log = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    await eventually(() => log().includes('"listening"'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(file);
    server.child.kill('SIGHUP');
    await eventually(() => log().includes('configuration reloaded'));
    const run = await server.stop();
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('beside APPCTL_LOG_FILE_PATH gives way, with a warning', async () => {
    const env = { APPCTL_LOG_FILE: 'other.log', APPCTL_LOG_FILE_PATH: 'own.log' };
    const run = await runInside(['config', 'show', 'log.file', '--json'], { cwd, env });
    expect(JSON.parse(run.stdout)['log.file']).toMatchObject({
      value: join(cwd, 'own.log'),
      name: 'APPCTL_LOG_FILE_PATH',
    });
    expect(run.stderr).toContain('overrides APPCTL_LOG_FILE');
  });
});

const HOLD_LOCK = `
  const db = require('better-sqlite3')(process.argv[1]);
  db.exec('BEGIN IMMEDIATE');
  process.stdout.write('held');
  process.stdin.on('end', () => process.exit(0)).resume();
`;
