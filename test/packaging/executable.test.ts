// The one executable, alone in an empty folder: what an operator downloads must need nothing beside it.
import { fork } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownBytes } from '../bench/process-figures.ts';
import {
  type CommandRun,
  command,
  jsonCommand,
  type Launch,
  type RunningServer,
  startServer,
} from '../proof/parts/processes.ts';
import { copyOfExecutable } from '../support/built-executable.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const maxBytes = 170_000_000;

let folder: string;
let launch: Launch;

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<CommandRun> =>
  command({ ...launch, env: { ...launch.env, ...env } }, args);

beforeAll(() => {
  // A memory file system may forbid execution.
  folder = scratchFolder('appctl-executable-', { durable: true });
  const exe = copyOfExecutable(folder);
  launch = { exe, cwd: folder, env: { PATH: '/usr/bin' } };
});
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

test('it is one file of a bearable size that knows what it is', async () => {
  expect(readdirSync(folder)).toEqual(['appctl']);
  expect(statSync(launch.exe).size).toBeLessThanOrEqual(maxBytes);
  const version = await jsonCommand<{ packaged: boolean; node: string }>(launch, ['version']);
  expect(version).toMatchObject({ packaged: true, platform: process.platform, arch: process.arch });
  // Only a database needs native code: the version leaves no file behind.
  expect(readdirSync(folder)).toEqual(['appctl']);
});

test('it renders a picture with the library that it unpacks', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>';
  const place = scratchFolder('appctl-picture-', { durable: true });
  writeFileSync(join(place, 'original'), svg);
  const env = { ...launch.env, APPCTL_CACHE_DIR: join(place, 'cache') };
  const child = fork('picture-process', [], {
    execPath: launch.exe,
    execArgv: [],
    cwd: place,
    env,
  });
  try {
    const answer = await new Promise((resolve, reject) => {
      child.once('message', resolve).once('error', reject).once('exit', reject);
      child.send({ id: 1, path: join(place, 'original'), folder: place, quality: 82, drawn: 40 });
    });
    expect(answer).toMatchObject({
      id: 1,
      rendered: { files: { large: { width: 1200, height: 600 } } },
    });
    const large = readFileSync(join(place, 'large'));
    expect([large.toString('latin1', 0, 4), large.toString('latin1', 8, 12)]).toEqual(['RIFF', 'WEBP']);
  } finally {
    child.kill('SIGKILL');
    rmSync(place, { recursive: true, force: true });
  }
});

test('it writes an email with the words that it holds', async () => {
  const place = scratchFolder('appctl-mail-', { durable: true });
  const own = ['--data-dir', join(place, 'data')];
  const env = { APPCTL_SMTP_URL: `file:${join(place, 'mails')}` };
  try {
    const setup = ['setup', '--no-input', '--owner-email', 'ops@example.com', '--generate-password', ...own];
    expect(await run(setup)).toMatchObject({ code: 0 });
    expect(await run(['email', 'test', '--to', 'ann@example.com', ...own], env)).toMatchObject({ code: 0 });
    const [file = ''] = readdirSync(join(place, 'mails'));
    expect(readFileSync(join(place, 'mails', file), 'utf8')).toContain('Subject: Test email from');
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

describe('from setup to a checked license', () => {
  const machineId = 'machine-0001';
  let apiKey: string;
  let key: string;
  let server: RunningServer;

  const api = async (
    path: string,
    body?: unknown,
  ): Promise<[status: number, body: Record<string, unknown>]> => {
    const answer = await fetch(new URL(`/api/v1/license/${path}`, server.url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return [answer.status, (await answer.json()) as Record<string, unknown>];
  };

  beforeAll(async () => {
    const owner = ['--owner-email', 'ops@example.com', '--generate-password'];
    const setup = await run(['setup', '--no-input', ...owner, '--json']);
    expect(setup).toMatchObject({ code: 0 });
    // Neither Node nor the program warns about anything when all is well.
    expect(setup.stderr).not.toMatch(/warning/i);
    expect(JSON.parse(setup.stdout)).toMatchObject({
      dataDir: join(folder, 'data'),
      database: { kind: 'sqlite' },
      owner: { email: 'ops@example.com' },
      secrets: { ownerPassword: expect.stringMatching(/^.{12,}$/) },
    });
    await jsonCommand(launch, ['product', 'create', '--name', 'Editor', '--slug', 'editor']);
    const scope = ['--service', 'license', '--name', 'ci', '--scope', 'FULL_ADMIN'];
    apiKey = (await jsonCommand<{ secret: string }>(launch, ['apikey', 'create', ...scope])).secret;
    const customer = ['--product', 'editor', '--email', 'ann@example.com'];
    key = (await jsonCommand<{ key: string }>(launch, ['license', 'mint', ...customer, '--reveal'])).key;
    server = await startServer(launch);
  });
  afterAll(async () => {
    await server?.stop();
  });

  test('the server says that it is healthy', async () => {
    const health = await run(['health', '--wait', '20', '--json']);
    expect(health).toMatchObject({ code: 0 });
    expect(JSON.parse(health.stdout)).toMatchObject({ success: true, status: 'ok' });
  });

  // 40 MB were measured: 84 with two bytes for each character of the program, with functions named anew, and with what
  // the start leaves behind (decision 0005). With the panel it was 51 to 56, with the catalog of the shop 64 to 67 (asked: at
  // most 68), with orders and payments 76. Since the schemas of resources are made when they are first read (decision 0082)
  // it is 68 to 70: every capability still adds some, and the bound is there to show the next step. Backups added 1.3.
  // Other systems tell no such figure without a program of their own.
  if (process.platform === 'linux') {
    test('before it has work it holds little memory of its own', async () => {
      expect(ownBytes(server.pid)).toBeGreaterThan(10_000_000);
      // What the start left behind goes in the first second that is quiet.
      await expect.poll(() => ownBytes(server.pid), { timeout: 30_000 }).toBeLessThan(75_000_000);
    });
  }

  test('a machine is activated, validated, deactivated and checked', async () => {
    const ids = { licenseKey: key, machineId };
    expect(await api('activate', ids)).toMatchObject([200, { success: true, activation: { machineId } }]);
    expect(await api('validate', ids)).toMatchObject([200, { success: true, valid: true }]);
    expect(await api(`check/${key}`)).toMatchObject([200, { success: true, status: 'ACTIVE' }]);
    expect(await api('deactivate', ids)).toMatchObject([200, { success: true }]);
    expect(await api('validate', ids)).toMatchObject([200, { valid: false, code: 'NOT_ACTIVATED' }]);
  });

  test('pages come from the templates inside', async () => {
    const page = await fetch(server.url);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await page.text();
    expect(html).toMatch(/<!doctype html>[\s\S]*<\/html>/i);
    const [, address = ''] = /href="(\/assets\/page\.[0-9a-f]{16}\.css)"/.exec(html) ?? [];
    const style = await fetch(new URL(address, server.url), { headers: { 'Accept-Encoding': 'br' } });
    expect(Object.fromEntries(style.headers)).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(await style.text()).toContain('light-dark(');
  });

  test('the manual is inside, for a browser and for a terminal', async () => {
    const page = await fetch(new URL('/help/glossary', server.url));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<h1>Glossary</h1>')]);
    const printed = await run(['help', 'glossary']);
    expect(printed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Glossary\n/) });
  });

  test('it ends with 0 when it is asked to', async () => {
    expect(await server.stop()).toBe(0);
  });
});

describe('what others can do to it', () => {
  test.each(['--require', '--import'])('NODE_OPTIONS=%s runs no foreign code', async (option) => {
    const mark = join(folder, 'foreign-code-ran');
    const script = join(folder, 'foreign.cjs');
    writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`);
    const version = await run(['version', '--json'], { NODE_OPTIONS: `${option}=${script}` });
    expect(version).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(mark)).toBe(false);
  });

  test('a cache folder that others can write is refused, with the cure', async () => {
    const cache = join(folder, 'open-cache');
    mkdirSync(cache);
    chmodSync(cache, 0o777);
    const list = await run(['product', 'list'], { APPCTL_CACHE_DIR: cache });
    // Without its driver the database cannot be opened.
    expect(list.code).toBe(78);
    expect(list.stdout).toBe('');
    expect(list.stderr).toMatch(
      /error: .*open-cache must be a folder that belongs to this user and that nobody else can write to/,
    );
    expect(list.stderr).toMatch(/set APPCTL_CACHE_DIR to a folder that only this user can write/);
    expect(readdirSync(cache)).toEqual([]);
  });

  test('a cache folder that cannot be made is named, with the cure', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const list = await run(['product', 'list'], { APPCTL_CACHE_DIR: join(file, 'cache') });
    expect(list.code).toBe(78);
    expect(list.stderr).toMatch(/native libraries cannot be written to .*a-file.cache \((ENOTDIR|EEXIST)\)/);
  });
});
