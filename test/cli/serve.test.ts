import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServeOutput } from '../../src/cli/serve/schemas.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliRun, errorOf, program, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

let cwd: string;
let servers: ServerProcess[];
beforeEach(() => {
  cwd = scratchFolder('appctl-serve-');
  servers = [];
});
afterEach(async () => {
  for (const server of servers) if (server.child.exitCode === null) await server.stop('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

const appctl = (args: string[], env: Record<string, string> = {}) => runCli(args, { cwd, env });
/** Other commands beside a server, in the test's process. */
const inside = (args: string[]) => runInside(args, { cwd });

async function start(args: string[] = [], options: Parameters<typeof startServer>[1] = {}) {
  const server = await startServer(args, { cwd, ...options });
  servers.push(server);
  return server;
}

/** A start without --json, ended when it has printed something. */
async function startInWords(args: string[], until: string): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: '/usr/bin:/bin', HOME: cwd };
  const child = spawn(process.execPath, [program, 'serve', ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  await eventually(() => printed.stdout.includes(until));
  child.kill('SIGTERM');
  await once(child, 'close');
  return printed;
}

const modeOf = (path: string) => statSync(join(cwd, path)).mode & 0o777;

describe('serve on an empty data directory', () => {
  test('makes everything, answers, and leaves with 0 on SIGTERM', async () => {
    const server = await start();
    const health = await fetch(`${server.url}/api/health`);
    expect(await health.json()).toMatchObject({ success: true, status: 'ok' });
    expect([modeOf('data'), modeOf('data/master.key'), modeOf('data/run')]).toEqual([0o700, 0o600, 0o700]);
    expect([modeOf('data/run/server.json'), modeOf('data/run/appctl.sock')]).toEqual([0o600, 0o600]);
    const left = JSON.parse(readFileSync(join(cwd, 'data/run/server.json'), 'utf8'));
    expect(left).toMatchObject({
      pid: server.child.pid,
      url: server.url,
      socket: join(cwd, 'data/run/appctl.sock'),
    });
    const run = await server.stop();
    expect({ code: run.code, signal: run.signal }).toEqual({ code: 0, signal: null });
    expect([
      existsSync(join(cwd, 'data/run/server.json')),
      existsSync(join(cwd, 'data/run/appctl.sock')),
    ]).toEqual([false, false]);
    const lines = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => ServeOutput.parse(JSON.parse(line)));
    expect(lines[0]).toMatchObject({ event: 'listening', url: server.url, pid: server.child.pid });
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  test('without --json stdout holds the ready lines and stderr the log', async () => {
    const listens = ['--listen', '0', '--listen', 'unix:/proc/self/cwd/http.sock'];
    const { stdout, stderr } = await startInWords(['--data-dir', 'own', ...listens], 'license/validate');
    expect(stdout).toMatch(
      /^Welcome to appctl\..*\n\nData {7}\S+\/own\nDatabase {3}sqlite:\/\S+\/appctl\.db\nMaster key \S+\/own\/master\.key\nListening {2}http:\/\/127\.0\.0\.1:[1-9]\d+\nListening {2}unix:\S+\nPanel {6}http:\/\/127\.0\.0\.1:\d+\/admin\/\nSetup {6}http:\/\/127\.0\.0\.1:\d+\/admin\/setup\?token=[\w-]{43}\n {11}one use, 30 minutes\n\nKeep a copy/,
    );
    expect(stdout).toContain('\n  appctl --data-dir own setup\n');
    expect(stdout).toContain('\n  KEY=$(appctl --data-dir own license mint ');
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).msg),
    ).toEqual(['listening', 'stopping', 'stopped']);
  });

  test('a data directory deeper than a socket address can say', async () => {
    const deep = join('d'.repeat(60), 'e'.repeat(60));
    const server = await start(['--data-dir', deep]);
    const status = await inside(['status', '--data-dir', deep, '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid: server.child.pid });
    expect((await server.stop()).code).toBe(0);
    expect(existsSync(join(cwd, deep, 'run/appctl.sock'))).toBe(false);
  });
});

describe('a second server', () => {
  test('on the same SQLite data directory ends with 5, and a dead one leaves no trace', async () => {
    const first = await start();
    const second = await appctl(['serve', '--listen', '0', '--json']);
    expect({ code: second.code, stdout: second.stdout }).toEqual({ code: 5, stdout: '' });
    expect(errorOf(second)).toMatchObject({
      code: 'CONFLICT',
      hint: expect.stringContaining('appctl status'),
    });
    await first.stop('SIGKILL');
    expect(existsSync(join(cwd, 'data/run/appctl.sock'))).toBe(true);
    const third = await start();
    expect((await inside(['health', '--json'])).code).toBe(0);
    expect((await third.stop()).code).toBe(0);
  });

  test('a port in use ends with 5 and names it; everything else is closed again', async () => {
    const other: Server = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const run = await appctl(['serve', '--listen', '127.0.0.1:0', '--listen', String(port)]);
    other.close();
    expect(run.code).toBe(5);
    expect(run.stderr).toContain(`error: 127.0.0.1:${port} is in use`);
    expect(run.stderr).toContain('hint: ');
    expect(existsSync(join(cwd, 'data/run/appctl.sock'))).toBe(false);
    // The installation is made, but nobody was welcomed: the next start does it, and the one after that does not.
    const next = await startInWords(['--listen', '0'], 'license/validate');
    expect(next.stdout).toMatch(/^Welcome to appctl\. This is a new installation\.\n/);
    const later = await startInWords(['--listen', '0'], 'one use, 30 minutes');
    expect(later.stdout).toMatch(/^Database /);
  });
});

describe('signals', () => {
  test('SIGINT waits for an open request, a second SIGINT does not', async () => {
    const server = await start();
    const request = await openRequest(server.url);
    server.child.kill('SIGINT');
    await eventually(() => server.stdout().includes('"stopping"'));
    server.child.kill('SIGINT');
    const run = await server.ended;
    request.destroy();
    expect({ code: run.code, signal: run.signal }).toEqual({ code: 130, signal: null });
  });

  test('SIGHUP opens the log file anew and reads the log level', async () => {
    const env = { APPCTL_LOG_FILE_PATH: join(cwd, 'server.log') };
    const server = await start([], { env });
    const log = () =>
      existsSync(env.APPCTL_LOG_FILE_PATH) ? readFileSync(env.APPCTL_LOG_FILE_PATH, 'utf8') : '';
    await eventually(() => log().includes('"listening"'));
    expect(modeOf('server.log')).toBe(0o600);
    renameSync(env.APPCTL_LOG_FILE_PATH, join(cwd, 'server.log.1'));
    server.child.kill('SIGHUP');
    await eventually(() => log().includes('configuration reloaded'));
    const run = await server.stop();
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(log()).toContain('"stopped"');
  });

  test('a reader that goes away does not end it', async () => {
    const server = await start();
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    for (let i = 0; i < 50; i++) expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    server.child.kill('SIGHUP');
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
    expect((await server.stop()).code).toBe(0);
  });
});

describe('flags', () => {
  test('--pid-file and --ready-fd tell a supervisor; an inherited socket is served', async () => {
    const socket = createServer().listen(0, '127.0.0.1');
    await once(socket, 'listening');
    const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
    const args = ['--listen', 'fd:3', '--ready-fd', '4', '--pid-file', 'pid'];
    const server = await start(args, { stdio: [fd, 'pipe'] });
    expect(readFileSync(join(cwd, 'pid'), 'utf8')).toBe(`${server.child.pid}\n`);
    const ready = server.child.stdio[4] as NodeJS.ReadableStream;
    const [line] = (await once(ready, 'data')) as [Buffer];
    expect(line.toString()).toBe(`${server.url}\n`);
    socket.close();
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    await server.stop();
    expect(existsSync(join(cwd, 'pid'))).toBe(false);
  });

  function expectRefusal(run: CliRun, code: number, named: string) {
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
    expect(errorOf(run).message).toContain(named);
  }

  test.each([
    [['--workers', '2', '--dev'], 78, 'one process'],
    [['--listen', 'nowhere'], 78, 'listen'],
    [['--auto-migrate', 'perhaps'], 2, '--auto-migrate'],
    [['--tls-cert', 'missing.pem', '--tls-key', 'missing.key'], 78, 'missing.pem'],
  ] as [string[], number, string][])(
    '%j is refused before anything is opened, with %i',
    async (args, code, named) =>
      // A process of its own: the whole server is more than this one need load.
      expectRefusal(await appctl(['serve', '--listen', '0', ...args, '--json']), code, named),
  );

  test.each([
    [[], { APPCTL_LOG_FILE_PATH: '/nowhere/at/all.log' }, 78, 'log.file'],
    [['--db', 'postgres://app@127.0.0.1:1/none'], {}, 9, '127.0.0.1:1'],
  ] as [string[], Record<string, string>, number, string][])(
    '%j %j ends with %i',
    async (args, env, code, named) =>
      expectRefusal(await appctl(['serve', '--listen', '0', ...args, '--json'], env), code, named),
  );

  test('pending migrations with --auto-migrate no end with 8', async () => {
    await (await start()).stop();
    expect((await inside(['migrate', 'down', '--yes', '--json'])).code).toBe(0);
    const run = await appctl(['serve', '--listen', '0', '--auto-migrate', 'no', '--json']);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 8, stdout: '' });
    expect(errorOf(run).code).toBe('PENDING_MIGRATIONS');
    const backed = await start([], { env: { APPCTL_BACKUP_DIR: join(cwd, 'copies') } });
    expect(existsSync(join(cwd, 'copies'))).toBe(true);
    await backed.stop();
  });
});

test('root becomes the owner of the data directory before it opens the database', async () => {
  const uid = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
  chmodSync(cwd, 0o755);
  mkdirSync(join(cwd, 'data'), { mode: 0o700 });
  chownSync(join(cwd, 'data'), uid, process.getuid?.() === 0 ? 65_534 : (process.getgid?.() ?? 0));
  const setup = await appctl(['setup', '--owner-email', 'a@x.test', '--generate-password', '--json']);
  expect({ code: setup.code, stderr: setup.stderr }).toEqual({ code: 0, stderr: '' });
  const server = await start();
  const owners = ['appctl.db', 'appctl.db-wal', 'run/appctl.sock', 'run/server.json'].map(
    (name) => statSync(join(cwd, 'data', name)).uid,
  );
  expect(owners).toEqual([uid, uid, uid, uid]);
  expect((await server.stop()).code).toBe(0);
});

/** A request whose last header never comes. */
async function openRequest(url: string) {
  const { connect } = await import('node:net');
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n');
  return socket;
}
