import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { keyOf, type ShownRelease, writeReleaseFiles } from './release-life.ts';

let app: TestApp;
let folder: string;
const tokens: Record<string, MadeKey> = {};

beforeAll(async () => {
  app = await startApp();
  folder = scratchFolder('appctl-remote-');
  writeReleaseFiles(folder);
  await app.product({ name: 'Editor', slug: 'editor' });
  for (const role of ['licensing', 'manager', 'viewer'] as const) {
    tokens[role] = await app.adminToken(role);
    writeFileSync(join(folder, role), `${tokens[role].secret}\n`, { mode: 0o600 });
  }
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command without a local installation. */
const run = (line: string, { as = 'licensing', server = app.url, env = {} } = {}) =>
  runInside([...line.split(' '), '--server', server, '--api-key-file', as], {
    cwd: folder,
    env: { APPCTL_DATA_DIR: join(folder, 'none'), ...env },
  });
async function answer<T = ShownRelease>(line: string): Promise<T> {
  const { code, stdout, stderr } = await run(`${line} --json`);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  return JSON.parse(stdout) as T;
}
async function failure(line: string, options?: Parameters<typeof run>[1]) {
  const done = await run(`${line} --json`, options);
  return { exit: done.code, ...errorOf(done) };
}

describe('release commands with --server', () => {
  const ship = 'release ship app.zip --product editor --key a.key';

  test('ship registers the first key, uploads and publishes; again it does nothing', async () => {
    const release = await answer(`${ship} --version 1.0.0`);
    expect(release).toMatchObject({
      state: 'PUBLISHED',
      bundleFilename: 'app.zip',
      bundleSize: 16,
      keyId: keyOf(1).keyId,
      keyRegistered: true,
    });
    expect(await answer(`${ship} --version 1.0.0`)).toEqual({ ...release, keyRegistered: false });
    const events = (await app.eventsOf(release.id)).map(({ type }) => type);
    expect(events.toSorted()).toEqual([
      'RELEASE_CHANGED',
      'RELEASE_CHANGED',
      'RELEASE_CREATED',
      'RELEASE_PUBLISHED',
    ]);
  });

  test('every other command works as on the local installation', async () => {
    writeFileSync(join(folder, 'a "quoted" é.zip'), 'bytes');
    mkdirSync(join(folder, 'd'));
    writeFileSync(join(folder, 'd', 'ünï.zip'), 'bytes');
    const draft = await answer('release create --product editor --version 1.1.0 --channel beta');
    expect(await answer(`release upload ${draft.id} d/ünï.zip --key a.key`)).toMatchObject({
      bundleFilename: 'ünï.zip',
    });
    expect(await failure(`release renew ${draft.id} --key a.key`)).toMatchObject({
      exit: 5,
      details: { reason: 'NOT_PUBLISHED' },
    });
    expect(await answer('release publish --product editor --version 1.1.0')).toMatchObject({
      id: draft.id,
      state: 'PUBLISHED',
    });
    expect((await answer(`release rollout ${draft.id} --percent 10`)).rollout.percent).toBe(10);
    expect(await answer(`release promote ${draft.id} --to stable --key a.key`)).toMatchObject({
      channel: 'stable',
    });
    await answer(`release renew ${draft.id} --key a.key --statement-days 2000`);
    expect(await answer(`release yank ${draft.id} --reason bad --yes`)).toMatchObject({
      yankedReason: 'bad',
    });
    expect(await answer(`release unyank ${draft.id} --reason harmless --yes`)).toMatchObject({
      state: 'PUBLISHED',
    });
    expect(await answer(`release archive ${draft.id}`)).toMatchObject({ state: 'ARCHIVED' });
    expect(await answer<object>(`release stats ${draft.id}`)).toMatchObject({ downloads: 0 });
    const listed = await answer<{ items: ShownRelease[] }>('release list --product editor --state PUBLISHED');
    expect(listed.items.map(({ version }) => version)).toEqual(['1.0.0']);
    const other = await answer('release create --product editor --version 1.2.0 --platform macos');
    expect(await answer<object>(`release delete ${other.id}`)).toMatchObject({ changed: true });
  });

  test('a file name with quotes arrives as it is', async () => {
    const line = [
      'release',
      'create',
      '--product',
      'editor',
      '--version',
      '1.3.0',
      '--bundle',
      'a "quoted" é.zip',
    ];
    const made = await runInside([...line, '--json', '--server', app.url, '--api-key-file', 'licensing'], {
      cwd: folder,
      env: { APPCTL_DATA_DIR: join(folder, 'none') },
    });
    expect(JSON.parse(made.stdout)).toMatchObject({ bundleFilename: 'a "quoted" é.zip', bundleSize: 5 });
  });

  test('refusals of the server keep code, exit and details', async () => {
    expect(await failure('release show rel_none')).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
    expect(await failure('release show .')).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
    expect(await failure('release list --product nope')).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
    expect(await failure(ship.replace('a.key', 'b.key').concat(' --version 2.0.0'))).toMatchObject({
      exit: 6,
      details: { reason: 'WRONG_KEY' },
    });
    expect(await failure('release create --product editor --version 1.0.0')).toMatchObject({
      exit: 5,
      details: { reason: 'VERSION_EXISTS' },
    });
    expect(await failure('release create --product editor --version x')).toMatchObject({
      exit: 2,
      message: expect.stringContaining('--version'),
    });
    const viewer = await failure('release create --product editor --version 2.0.0', { as: 'viewer' });
    expect(viewer).toMatchObject({ exit: 4, code: 'INSUFFICIENT_SCOPE' });
    const store = await failure(`${ship} --version 2.0.0`.replace('a.key', `store:${keyOf(1).keyId}`));
    expect(store).toMatchObject({ exit: 2, message: expect.stringContaining('local installation') });
  });

  test('a token that is none, and a line that would tell it, end with 2', async () => {
    writeFileSync(join(folder, 'apikey'), 'lk_0123456789');
    expect(await failure('release list', { as: 'apikey' })).toMatchObject({ exit: 2 });
    writeFileSync(join(folder, 'unknown'), 'adm_0123456789');
    expect(await failure('release list', { as: 'unknown' })).toMatchObject({ exit: 4, code: 'UNAUTHORIZED' });
    const open = await failure('release list', { server: 'http://licenses.example.com' });
    expect(open).toMatchObject({ exit: 2, message: expect.stringContaining('unencrypted') });
  });

  test('a command without remote mode refuses the flag and APPCTL_SERVER', async () => {
    expect(await failure('migrate status')).toMatchObject({
      exit: 2,
      message: expect.stringContaining('remote'),
    });
    const env = { APPCTL_SERVER: app.url, APPCTL_DATA_DIR: join(folder, 'none') };
    const done = await runInside(['migrate', 'status'], { cwd: folder, env });
    expect([done.code, done.stderr]).toEqual([2, expect.stringContaining('APPCTL_SERVER')]);
  });
});

describe('servers that are none of ours', () => {
  let other: Server;
  let reply: { status: number; body: string; headers?: Record<string, string> };
  let line: string | undefined;
  let asked: string[] = [];
  const url = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  beforeAll(async () => {
    other = createServer((req, res) => {
      line = req.headers.connection;
      asked.push(`${req.method} ${req.url}`);
      res.writeHead(reply.status, reply.headers).end(reply.body);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    other.close();
  });

  test.each<[string, typeof reply, number, string]>([
    ['a page of a proxy', { status: 502, body: '<html>' }, 9, 'something other than appctl'],
    ['a redirect', { status: 301, body: '', headers: { Location: 'https://x.test/' } }, 1, 'https://x.test/'],
    ['an answer of another program', { status: 200, body: '{"ok":true}' }, 1, 'not understood'],
    ['a refusal without JSON', { status: 403, body: 'no' }, 4, '403'],
  ])('%s', async (_what, given, exit, says) => {
    reply = given;
    const failed = await failure('release list', { server: url() });
    expect([failed.exit, failed.message]).toEqual([exit, expect.stringContaining(says)]);
  });

  test('one that knows no dry run is asked for no change', async () => {
    reply = {
      status: 404,
      body: JSON.stringify({ success: false, error: { code: 'NOT_FOUND', message: 'No such endpoint' } }),
    };
    asked = [];
    const failed = await failure('keyformat create --name plain --prefix APP --segments 4 --dry-run', {
      server: url(),
    });
    expect(failed).toMatchObject({ exit: 2, message: expect.stringContaining('does not support dry runs') });
    expect(asked).toEqual(['GET /api/v1/admin/me']);
  });

  test('nobody there ends with 9', async () => {
    expect(await failure('release list', { server: 'http://127.0.0.1:9' })).toMatchObject({
      exit: 9,
      code: 'UNREACHABLE',
    });
  });

  test('a proxy sees no token of a request to this machine, and is waited for no longer than a server', async () => {
    reply = { status: 502, body: 'from the proxy' };
    const near = await run('release list --json', { env: { HTTP_PROXY: url() } });
    expect([near.code, near.stderr]).toEqual([0, `server: ${app.url}\n`]);
    const server = 'https://licenses.example.com';
    const silent = createTcpServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
    expect(await failure('release list --timeout 1', { server, env })).toMatchObject({
      exit: 9,
      hint: 'use --timeout SEC to wait longer',
    });
    silent.close();
    const broken = await failure('release list', {
      server,
      env: { HTTPS_PROXY: 'http://me:hidden here@:::1' },
    });
    expect(broken).toMatchObject({ exit: 2, message: 'HTTPS_PROXY is not the address of a proxy' });
  });

  test('a refusal that comes before the file has gone is told', async () => {
    writeFileSync(join(folder, 'large.zip'), Buffer.alloc(8_000_000));
    reply = {
      status: 413,
      body: JSON.stringify({ success: false, error: { code: 'VALIDATION_ERROR', message: 'too large' } }),
    };
    const failed = await failure('release upload rel_1 large.zip', { server: url() });
    expect(failed).toMatchObject({ exit: 2, message: 'too large' });
    // A server that closed the line with its answer would break the sending before the answer was read.
    expect(line).toBe('keep-alive');
  });
});
