// Processes of one server, as somebody meets them who does not know which of them answers.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isAlive } from '#kernel/process-identity.ts';
import { textOf } from '../platform/panel/staff.ts';
import { type Browser, openBrowser, tokenIn } from '../support/browser.ts';
import { runCli } from '../support/cli-process.ts';
import { freshDatabaseUrl } from '../support/database.ts';
import { type HttpClient, openHttpClient } from '../support/http-client.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

let cwd: string;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
let server: ServerProcess | undefined;
let clients: HttpClient[];
beforeEach(async () => {
  cwd = scratchFolder('appctl-as-one-');
  database = await freshDatabaseUrl();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.close();
  if (server && isAlive(server.child.pid as number)) await server.stop('SIGKILL');
  server = undefined;
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const env = () => ({
  APPCTL_DATABASE_URL: database.url,
  APPCTL_LOG_FILE_PATH: join(cwd, 'log'),
  APPCTL_SMTP_URL: `file:${join(cwd, 'mails')}`,
  APPCTL_SETTING_ALERTS__EMAIL: 'ops@mail.example',
  APPCTL_TRUST_PROXY: '127.0.0.1',
});
const run = (line: string) => runCli([...line.split(' '), '--json'], { cwd, env: env() });

async function json<T>(line: string): Promise<T> {
  const { code, stdout, stderr } = await run(line);
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** The processes that came to serve beside the first one, in this order, once there are so many. */
const serving = (count: number): Promise<number[]> =>
  vi.waitFor(() => {
    const log = readFileSync(join(cwd, 'log'), 'utf8');
    const began = [...log.matchAll(/"worker":(\d+),"msg":"another process serves"/g)];
    expect(began.length).toBeGreaterThanOrEqual(count);
    return began.map(([, pid]) => Number(pid));
  }, 60_000);

async function begin(): Promise<{ first: number; second: number; url: string }> {
  server = await startServer(['--workers', '2'], { cwd, env: env() });
  const [second = 0] = await serving(1);
  return { first: server.child.pid as number, second, url: server.url };
}

/** A client whose connection one process has: the other one was stopped while it began. */
async function clientOf(url: string, other: number): Promise<HttpClient> {
  const client = openHttpClient(url);
  clients.push(client);
  process.kill(other, 'SIGSTOP');
  try {
    await client.send('/api/health');
  } finally {
    process.kill(other, 'SIGCONT');
  }
  return client;
}

async function signedIn(client: HttpClient, email: string, password: string): Promise<Browser> {
  const browser = openBrowser(client.send);
  expect((await browser.submit('/admin/login', { email, password })).status).toBe(303);
  return browser;
}

/** What a page of the panel does each half minute. */
async function beat(browser: Browser, item: string): Promise<string> {
  const _csrf = tokenIn((await browser.open('/admin/profile/preferences')).text);
  const part = { 'HX-Request': 'true', 'HX-Target': 'div#here' };
  return textOf((await browser.post(`${item}/here`, { _csrf }, part)).text);
}

const subjects = (): string[] =>
  (existsSync(join(cwd, 'mails')) ? readdirSync(join(cwd, 'mails')) : [])
    .map((name) => readFileSync(join(cwd, 'mails', name), 'utf8'))
    .flatMap((text) => /^Subject: (.+)$/m.exec(text)?.[1] ?? []);

test('whichever process is asked knows who is at an item, and whose machine was cloned', async () => {
  const { secrets } = await json<{ secrets: { ownerPassword: string } }>(
    'setup --no-input --owner-email ann@one.test --generate-password',
  );
  const ben = await json<{ password: string }>(
    'admin user create --email ben@one.test --role owner --generate',
  );
  await json('product create --name Editor --slug editor');
  const license = await json<{ id: string; key: string }>(
    'license mint --product editor --email c@one.test --perpetual --reveal',
  );
  const { secret } = await json<{ secret: string }>(
    'apikey create --service license --name a --scope VALIDATE_ONLY',
  );
  const { first, second, url } = await begin();
  const [one, other] = [await clientOf(url, second), await clientOf(url, first)];

  const ann = await signedIn(one, 'ann@one.test', secrets.ownerPassword);
  const item = `/admin/licenses/${license.id}`;
  await beat(ann, item);
  const elsewhere = await signedIn(other, 'ben@one.test', ben.password);
  expect(await beat(elsewhere, item)).toBe('ann@one.test is viewing this.');
  await expect.poll(() => beat(ann, item)).toBe('ben@one.test is viewing this.');

  // Each process sees one of the two machines only, which always comes from the same address.
  const call = (client: HttpClient, action: string, ip: string) =>
    client.send(`/api/v1/license/${action}`, {
      key: secret,
      body: { key: license.key, licenseKey: license.key, machineId: 'machine-0001' },
      headers: { 'X-Forwarded-For': ip },
    });
  expect((await call(one, 'activate', '192.0.2.1')).status).toBe(200);
  for (let n = 0; n < 15; n++) {
    expect((await call(one, 'heartbeat', '192.0.2.1')).status).toBe(200);
    expect((await call(other, 'heartbeat', '192.0.2.2')).status).toBe(200);
  }
  await json('jobs run stats-flush --wait');
  await json('jobs run abuse --wait');
  expect((await json<{ items: object[] }>('abuse list')).items).toMatchObject([{ rule: 'CLONED_MACHINE' }]);
}, 240_000);

test('processes that end again and again are an alert, which every process and command shows', async () => {
  const { secrets } = await json<{ secrets: { ownerPassword: string } }>(
    'setup --no-input --owner-email ann@one.test --generate-password',
  );
  const { first, url } = await begin();
  const doctor = async () =>
    JSON.parse((await run('doctor env.processes')).stdout) as {
      checks: { status: string; message: string }[];
    };
  expect((await doctor()).checks).toMatchObject([{ status: 'ok', message: '2 of 2 processes serve' }]);
  for (let n = 1; n <= 3; n++) {
    process.kill((await serving(n))[n - 1] as number, 'SIGKILL');
    await serving(n + 1);
  }
  const what =
    /^processes of the server ended 3 times within 30 minutes, the last one at \S+ \(SIGKILL\); 2 of 2 processes serve/;
  expect((await doctor()).checks).toMatchObject([{ status: 'fail', message: expect.stringMatching(what) }]);
  const { warnings } = await json<{ warnings: string[] }>('status');
  expect(warnings).toContainEqual(expect.stringMatching(what));
  await json('jobs run alerts --wait');
  await json('jobs run alerts --wait');
  await eventually(() => subjects().length > 0);
  const { items } = await json<{ items: { key: string; hint: string }[] }>('alerts list');
  expect(items.filter(({ key }) => key.startsWith('env.processes'))).toMatchObject([
    { hint: 'appctl logs --level error' },
  ]);

  expect(subjects()).toEqual([expect.stringMatching(/^Alert: processes of the server/)]);

  // A process that began after all of it knows it as well.
  const latest = await clientOf(url, first);
  const ann = await signedIn(latest, 'ann@one.test', secrets.ownerPassword);
  const page = textOf((await ann.open('/admin/system')).text);
  expect(page).toContain('Processes 2 of 2 serve');
  expect(page).toContain('processes of the server ended 3 times within 30 minutes');
}, 240_000);
