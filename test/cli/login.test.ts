// appctl login, logout, whoami and --profile against a server that answers as it is told (cli.md section 1.7).
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

interface Asked {
  what: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
}
type Reply = [status: number, body: object];

const EXPIRES = '2027-01-01T00:00:00.000Z';
const made: Reply = [
  201,
  { success: true, id: 'adt_1', token: 'adm_of-a-login', expiresAt: EXPIRES, user: { email: 'ann@x.test' } },
];
const me: Reply = [
  200,
  {
    success: true,
    user: { email: 'ann@x.test' },
    token: { name: 'laptop', expiresAt: EXPIRES },
    roles: ['licensing'],
    permissions: ['licensing:read'],
    scopes: {},
    csrfToken: null,
  },
];
const refused = (status: number, code: string, reason?: string): Reply => [
  status,
  {
    success: false,
    error: { code, message: `refused: ${reason ?? code}`, ...(reason && { details: { reason } }) },
  },
];

let server: Server;
let url: string;
let folder: string;
let asked: Asked[] = [];
let replies: Record<string, Reply[]> = {};

beforeAll(async () => {
  folder = scratchFolder('appctl-login-');
  server = createServer(async (req, res) => {
    let text = '';
    for await (const chunk of req) text += String(chunk);
    const what = `${req.method} ${req.url}`;
    asked.push({ what, authorization: req.headers.authorization, body: text === '' ? {} : JSON.parse(text) });
    const [status, body] = replies[what]?.shift() ?? refused(404, 'NOT_FOUND');
    res.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  asked = [];
  replies = {};
  rmSync(profiles(), { recursive: true, force: true });
});

const profiles = () => join(folder, '.config', 'appctl', 'profiles');
const TOKEN = 'POST /api/v1/admin/auth/token';
const env = () => ({ APPCTL_DATA_DIR: join(folder, 'none') });
const run = (line: string, { input, more = {} }: { input?: string; more?: Record<string, string> } = {}) =>
  runInside(line.split(' '), {
    cwd: folder,
    env: { ...env(), ...more },
    ...(input !== undefined && { input }),
  });
async function failure(line: string, options?: Parameters<typeof run>[1]) {
  const done = await run(`${line} --json`, options);
  return { exit: done.code, stdout: done.stdout, ...errorOf(done) };
}
const logIn = (more = '') => {
  replies[TOKEN] ??= [made];
  return run(`login ${url} --profile main --email ann@x.test --password-stdin${more} --json`, {
    input: 'secret\n',
  });
};

describe('appctl login', () => {
  test('keeps the token where only its user reads it, and commands use it', async () => {
    const done = await logIn();
    expect([done.code, done.stderr]).toEqual([0, '']);
    const file = join(profiles(), 'main.json');
    expect(JSON.parse(done.stdout)).toEqual({
      profile: 'main',
      server: url,
      email: 'ann@x.test',
      expiresAt: EXPIRES,
      file,
    });
    expect(done.stdout).not.toContain('adm_');
    expect([statSync(file).mode & 0o777, statSync(profiles()).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(profiles())).toEqual(['main.json']);
    expect(asked[0]).toMatchObject({
      authorization: undefined,
      body: { email: 'ann@x.test', password: 'secret', name: expect.stringContaining('@') },
    });
    for (const [line, more] of [
      ['webhook show whk_1 --profile main', {}],
      ['webhook show whk_1', { APPCTL_PROFILE: 'main' }],
      [`webhook show whk_1 --server ${url}`, {}],
    ] as const) {
      const called = await run(line, { more });
      expect([called.code, called.stderr]).toEqual([
        3,
        expect.stringContaining(`server: ${url} (profile main)\n`),
      ]);
      expect(asked.at(-1)?.authorization).toBe('Bearer adm_of-a-login');
    }
    expect((await run('webhook show whk_1 --profile main --quiet')).stderr).not.toContain('server:');
    replies['GET /api/v1/admin/webhooks/whk_1'] = [[200, { webhook: hook }]];
    // Without the flag the next command would work on another installation.
    const next = 'Next: appctl --profile main webhook deliveries whk_1\n';
    expect((await run('webhook show whk_1 --profile main')).stderr).toContain(next);
  });

  test('asks for the second factor when the server does, and takes it as a flag', async () => {
    replies[TOKEN] = [refused(401, 'UNAUTHORIZED', 'TWO_FACTOR_REQUIRED')];
    const asks = await logIn();
    expect([asks.code, errorOf(asks).message]).toEqual([2, expect.stringContaining('--code is required')]);
    expect(existsSync(profiles())).toBe(false);
    replies[TOKEN] = [made];
    expect((await logIn(' --code 123456')).code).toBe(0);
    expect(asked.at(-1)?.body).toMatchObject({ code: '123456' });
    replies[TOKEN] = [refused(401, 'UNAUTHORIZED', 'WRONG_PASSWORD')];
    expect((await logIn()).code).toBe(4);
  });

  test.each([
    ['login nowhere --email a@x.test --password-stdin', 'is not the address of a server'],
    ['login ftp://x.test --email a@x.test --password-stdin', 'is not the address of a server'],
    ['login https://u:p@x.test --email a@x.test --password-stdin', 'is not the address of a server'],
    [
      'login http://licenses.example.com --email a@x.test --password-stdin',
      'would get the password unencrypted',
    ],
    ['login https://x.test --profile ../up --email a@x.test --password-stdin', 'is not a valid name'],
    ['login https://x.test --email a@x.test', '--password-file is required'],
    ['login https://x.test', '--email is required'],
    ['login https://x.test --email a@x.test --password-stdin --ca-file app.txt', 'contains no certificate'],
  ])('%s ends with 2', async (line, says) => {
    writeFileSync(join(folder, 'app.txt'), 'none');
    const failed = await failure(line, { input: 'secret' });
    expect([failed.exit, failed.message, asked]).toEqual([2, expect.stringContaining(says), []]);
  });

  test('says what is wrong with an address that is not that of a server', async () => {
    const at = (address: string) =>
      failure(`login ${address} --email ann@x.test --password-stdin`, { input: 'secret' });
    expect(await at(`${url}/admin/`)).toMatchObject({
      exit: 3,
      message: `${url}/admin/ is not the root of an appctl server`,
      hint: `appctl login ${url}`,
    });
    const { host } = new URL(url);
    expect(await at(`https://${host}`)).toMatchObject({
      exit: 9,
      message: `${host} does not answer with TLS`,
      hint: expect.stringContaining(`use http://${host} if that server has no TLS`),
    });
    // Nobody listens on port 1.
    expect(await at('http://127.0.0.1:1')).toMatchObject({
      exit: 9,
      message: 'http://127.0.0.1:1 refused the connection',
      hint: expect.stringContaining('appctl serve is running there'),
    });
  });

  test('a login without a name is called as its host', async () => {
    replies[TOKEN] = [made];
    const done = await run(`login ${url} --email ann@x.test --password-stdin --json`, { input: 'secret' });
    expect(JSON.parse(done.stdout)).toMatchObject({ profile: url.slice(7).replace(':', '-') });
  });
});

describe('whoami, profile list and logout', () => {
  test('show and end the only login', async () => {
    await logIn();
    replies['GET /api/v1/admin/me'] = [me];
    expect(JSON.parse((await run('whoami --json')).stdout)).toEqual({
      server: url,
      profile: 'main',
      email: 'ann@x.test',
      token: 'laptop',
      roles: ['licensing'],
      permissions: ['licensing:read'],
      scopes: {},
      expiresAt: EXPIRES,
    });
    expect(JSON.parse((await run('profile list --json')).stdout).items).toEqual([
      { profile: 'main', server: url, email: 'ann@x.test', expiresAt: EXPIRES },
    ]);
    replies['DELETE /api/v1/admin/auth/token'] = [[200, { success: true, signedOut: true }]];
    expect(JSON.parse((await run('logout --json')).stdout)).toMatchObject({ profile: 'main', revoked: true });
    expect(readdirSync(profiles())).toEqual([]);
    expect(await failure('whoami')).toMatchObject({ exit: 2, message: 'nobody is signed in' });
  });

  test('logout forgets a login whose server is away, and says that it stays valid there', async () => {
    await logIn();
    replies['DELETE /api/v1/admin/auth/token'] = [refused(503, 'NOT_READY')];
    const done = await run('logout');
    expect([done.code, done.stderr]).toEqual([
      0,
      expect.stringContaining('the server could not be notified'),
    ]);
    expect(done.stderr).toContain(
      `ends it; an owner can also run: appctl admin token revoke adt_1 --server ${url}\n`,
    );
    expect(readdirSync(profiles())).toEqual([]);
  });

  test('signing in again under the same profile ends the earlier login before it is replaced', async () => {
    await logIn();
    const END = 'DELETE /api/v1/admin/auth/token';
    replies[END] = [[200, { success: true, signedOut: true }]];
    replies[TOKEN] = [[201, { ...made[1], token: 'adm_the-next' }]];
    const again = await logIn();
    expect([again.code, again.stderr]).toEqual([0, 'the earlier login of profile main has ended\n']);
    expect(asked.slice(-2).map(({ what, authorization }) => [what, authorization])).toEqual([
      [TOKEN, undefined],
      [END, 'Bearer adm_of-a-login'],
    ]);
    // A server that is away keeps nobody from signing in elsewhere.
    replies[END] = [refused(503, 'NOT_READY')];
    replies[TOKEN] = [made];
    const third = await logIn();
    expect([third.code, third.stderr]).toEqual([0, expect.stringContaining('stays valid there until')]);
    expect(asked.at(-1)?.authorization).toBe('Bearer adm_the-next');
    // A refused password leaves the login that there is.
    replies[TOKEN] = [refused(401, 'UNAUTHORIZED', 'WRONG_PASSWORD')];
    const before = asked.length;
    expect((await logIn()).code).toBe(4);
    expect(asked).toHaveLength(before + 1);
    expect(readdirSync(profiles())).toEqual(['main.json']);
    writeFileSync(join(profiles(), 'main.json'), '{}');
    replies[TOKEN] = [made];
    expect((await logIn()).code).toBe(0);
  });

  test('of several logins one is named', async () => {
    await logIn();
    replies[TOKEN] = [made];
    await run(`login ${url} --profile other --email ann@x.test --password-stdin`, { input: 'secret' });
    for (const command of ['logout', 'whoami'])
      expect(await failure(command)).toMatchObject({
        exit: 2,
        message: 'there are several saved logins: main, other',
        hint: `appctl ${command} --profile main`,
      });
  });
});

describe('profiles that cannot be used', () => {
  test.each([
    ['--profile nobody', {}, 'no saved login is called nobody'],
    ['--profile ../main', {}, 'is not a valid name'],
    ['--profile main --server https://x.test', {}, 'cannot be used together'],
    ['', { APPCTL_PROFILE: 'main', APPCTL_SERVER: 'https://x.test' }, 'both name a server'],
  ])('webhook list %s %j', async (flags, more, says) => {
    const failed = await failure(`webhook list ${flags}`.trim(), { more });
    expect([failed.exit, failed.message]).toEqual([2, expect.stringContaining(says)]);
  });

  test('a file that others may read, and one that holds something else', async () => {
    await logIn();
    const file = join(profiles(), 'main.json');
    writeFileSync(file, '{}');
    expect((await failure('whoami --profile main')).message).toContain('is not a saved login');
    rmSync(file);
    writeFileSync(file, '{}', { mode: 0o644 });
    expect((await failure('whoami --profile main')).message).toContain('may be read by others');
  });

  test('a command of this machine alone says what to do instead', async () => {
    const failed = await failure('config path --profile main');
    expect([failed.exit, failed.hint]).toEqual([2, 'it needs no server: leave out --profile']);
    const local = await failure('migrate status', { more: { APPCTL_PROFILE: 'main' } });
    expect([local.exit, local.hint]).toEqual([2, expect.stringContaining('ssh HOST appctl migrate status')]);
  });
});

test('what needs the password again says so where there is no terminal', async () => {
  await logIn();
  replies['POST /api/v1/admin/webhooks/whk_1/rotate-secret'] = [
    refused(403, 'INSUFFICIENT_SCOPE', 'SUDO_REQUIRED'),
  ];
  replies['GET /api/v1/admin/webhooks/whk_1'] = [[200, { webhook: hook }]];
  const failed = await failure('webhook rotate-secret whk_1 --profile main');
  expect(failed).toMatchObject({ exit: 4, message: expect.stringContaining('needs your password again') });
});

const hook = {
  id: 'whk_1',
  name: 'n',
  service: 'license',
  url: 'https://x.test/',
  events: [],
  productIds: null,
  redactEmail: false,
  headers: [],
  enabled: true,
  disabledAt: null,
  disabledReason: null,
  consecutiveFailures: 0,
  last24Hours: { delivered: 0, failed: 0, failedAttempts: 0 },
  lastDeliveryAt: null,
  lastSuccessAt: null,
  previousSecretUntil: null,
  createdAt: EXPIRES,
  updatedAt: EXPIRES,
};
