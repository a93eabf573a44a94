// Alerts as their user meets them: servers and commands that are processes of their own.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alertsPing, alertsWebhook } from '#platform/mail/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { errorOf, runCli } from '../support/cli-process.ts';
import { freshDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';
import { openReceiver, type Receiver, SECRET } from '../support/webhooks.ts';

let cwd: string;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
let receiver: Receiver;
let servers: ServerProcess[];
beforeEach(async () => {
  cwd = scratchFolder('appctl-alerts-');
  database = await freshDatabaseUrl();
  receiver = await openReceiver();
  servers = [];
  // It ends in two days.
  const { cert, key } = makeCertificate(['DNS:one.test']);
  writeFileSync(join(cwd, 'cert.pem'), cert);
  writeFileSync(join(cwd, 'key.pem'), key);
});
afterEach(async () => {
  for (const server of servers) if (server.child.exitCode === null) await server.stop('SIGKILL');
  await receiver.close();
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

const variables = (more: Record<string, string> = {}): Record<string, string> => ({
  APPCTL_DATABASE_URL: database.url,
  APPCTL_BASE_URL: 'https://one.test',
  APPCTL_TLS_CERT: join(cwd, 'cert.pem'),
  APPCTL_TLS_KEY: join(cwd, 'key.pem'),
  APPCTL_SMTP_URL: `file:${join(cwd, 'mails')}`,
  APPCTL_SETTING_ALERTS__EMAIL: 'ops@mail.example',
  ...more,
});

async function start(more: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer([], { cwd, env: variables(more) });
  servers.push(server);
  return server;
}
const run = (line: string, more: Record<string, string> = {}) =>
  runCli([...line.split(' '), '--json'], { cwd, env: variables(more) });

const mails = (): string[] =>
  existsSync(join(cwd, 'mails'))
    ? readdirSync(join(cwd, 'mails'))
        .map((name) => readFileSync(join(cwd, 'mails', name), 'utf8'))
        .flatMap((text) => /^Subject: (.+)$/m.exec(text)?.[1] ?? [])
    : [];
const look = (more: Record<string, string> = {}) => run('jobs run alerts --wait', more);

test('two servers and a restart tell once of each', async () => {
  const first = await start();
  const key = { APPCTL_MASTER_KEY: readFileSync(join(cwd, 'data/master.key'), 'utf8').trim() };
  const second = { APPCTL_DATA_DIR: join(cwd, 'second'), ...key };
  // A SQLite file has one server; commands ask it at the same moment all the same.
  const isShared = !database.url.startsWith('sqlite:');
  if (isShared) await start(second);
  await Promise.all([look(), look(), isShared ? run('jobs run server-alerts --wait', second) : look()]);
  const folders = isShared ? ['data', 'second'] : [];
  const expected = isShared ? folders.map((one) => `${hostname()}:${join(cwd, one)}`) : [null];
  await eventually(() => mails().length === expected.length);
  await first.stop();
  await start();
  await look();
  const { items } = JSON.parse((await run('alerts list')).stdout);
  expect(items.map(({ server }: { server: string | null }) => server).toSorted()).toEqual(expected);
  const on = (server: string | null) => (server === null ? '' : ` on ${server}`);
  expect(items[0]).toMatchObject({ hint: expect.any(String), endedAt: null });
  expect(mails().toSorted()).toEqual(expected.map((one) => `Alert: TLS certificate${on(one)}`));
});

test('test says of each way whether it was reached', async () => {
  await start();
  const hook = {
    APPCTL_SETTING_ALERTS__WEBHOOK: receiver.url,
    APPCTL_SETTING_ALERTS__WEBHOOK_SECRET: SECRET,
    APPCTL_SETTING_ALERTS__PING: receiver.url,
    APPCTL_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  };
  const good = await run('alerts test', hook);
  expect([good.code, JSON.parse(good.stdout).results]).toEqual([
    0,
    [
      { way: 'email', to: 'ops@mail.example', error: null },
      { way: 'webhook', to: receiver.url, error: null },
      { way: 'ping', to: receiver.url, error: null },
    ],
  ]);
  receiver.otherwise = 503;
  const bad = await run('alerts test', hook);
  expect([bad.code, JSON.parse(bad.stdout).results.map(({ error }: { error: string }) => error)]).toEqual([
    9,
    [null, 'it answered 503', 'it answered 503'],
  ]);
  const refused = await run('settings set alerts.ping ftp://x.test');
  expect([refused.code, errorOf(refused).message]).toEqual([
    2,
    expect.stringContaining('http: or https: address'),
  ]);
});

test.each([alertsWebhook, alertsPing])('$key takes an address of one line alone', ({ schema }) => {
  const takes = (text: string) => schema.safeParse(text).success;
  expect(takes('https://hooks.example.com/b/our-channel?a=b')).toBe(true);
  for (const text of [
    'https://x.test/a\r\nHost: y.test',
    'https://x\n.test/',
    'https://x.test/\u0000',
    'https://',
  ])
    expect({ text, takes: takes(text) }).toEqual({ text, takes: false });
});

test('only a running server looks', async () => {
  await (await start()).stop();
  const { code, stdout } = await look();
  expect([code, JSON.parse(stdout).error]).toEqual([1, expect.stringContaining('appctl serve')]);
});
