// How often an address may try to sign in, in one process and in several; and cookies behind proxies (A045, M13, M15).
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createOwner } from '#platform/accounts/index.ts';
import { flushRefusals, list as listRefusals } from '#platform/limit-refusals/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';
import { openHttpClient } from '../support/http-client.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const right = { email: 'ops@x.test', password: 'correct horse' };
const wrong = { email: 'nobody@x.test', password: 'wrong' };

describe('ten tries in five minutes', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ limits: 'on', proxyTrust: '127.0.0.1' });
    await createOwner(app.ctx, { ...right, name: 'Ops' });
  });
  afterAll(() => app.close());

  const from = (ip: string): { headers: Record<string, string>; browser: Browser } => ({
    headers: { 'X-Forwarded-For': ip },
    browser: openBrowser(app.send),
  });

  it('are counted by address, whatever is sent; the eleventh is refused, with the right password too', async () => {
    for (let n = 0; n < 10; n++) {
      const { browser, headers } = from('203.0.113.1');
      const area = n % 2 === 0 ? '/admin' : '/store';
      const sent = { ...wrong, email: `NOBODY${n}@x.test` };
      const reply = await browser.submit(`${area}/login`, sent, { ...headers, 'User-Agent': `b${n}` });
      expect([reply.status, reply.headers['ratelimit-remaining']]).toEqual([400, String(9 - n)]);
    }
    const { browser, headers } = from('203.0.113.1');
    const { result, changes } = await app.changesBy(() => browser.submit('/admin/login', right, headers));
    expect(result.status).toBe(429);
    expect(result.headers).toMatchObject({ 'ratelimit-limit': '10', 'ratelimit-remaining': '0' });
    const wait = Number(result.headers['retry-after']);
    expect(wait).toBeGreaterThan(290);
    expect(wait).toBeLessThanOrEqual(300);
    expect(result.text).toContain('<h1>Too many requests</h1>');
    expect(result.text).toMatch(/Try again in 5 minutes\./);
    expect(changes).toEqual(nothing);
    const elsewhere = from('203.0.113.2');
    const other = await elsewhere.browser.submit('/admin/login', right, elsewhere.headers);
    expect(other.status).toBe(303);
    await flushRefusals(app.ctx);
    const told = { service: 'license', bucket: 'sign-in', kind: 'address', subject: '203.0.113.1' };
    expect(await listRefusals(app.ctx)).toMatchObject([{ ...told, count: 1, max: 10, windowSeconds: 300 }]);
  });

  it('count also forms without a token, and no look at the page', async () => {
    const { browser, headers } = from('203.0.113.3');
    for (let n = 0; n < 12; n++) expect((await browser.open('/admin/login', headers)).status).toBe(200);
    for (let n = 0; n < 10; n++)
      expect((await browser.post('/admin/login', right, headers)).status).toBe(403);
    expect((await browser.post('/admin/login', right, headers)).status).toBe(429);
  });
});

describe('of tries that come at once to all processes', () => {
  let app: TestApp;
  const servers: ServerProcess[] = [];
  const isShared = inject('databaseKind') === 'postgres';
  beforeAll(async () => {
    app = await startApp();
    const { dataDir, database } = app.instance.config;
    // A SQLite file belongs to one server; on Postgres two share the database, each with a folder of its own.
    for (const name of isShared ? ['a', 'b'] : ['a']) {
      const env = {
        APPCTL_DATA_DIR: join(dataDir, '..', name),
        APPCTL_DATABASE_URL: database.url,
        APPCTL_MASTER_KEY_FILE: join(dataDir, 'master.key'),
        APPCTL_RATE_LIMIT: 'on',
        APPCTL_JOBS: 'off',
        ...(isShared && { APPCTL_RATE_LIMIT_STORE: 'postgres' }),
      };
      servers.push(await startServer([], { cwd: dataDir, env }));
    }
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await app.close();
  });

  it('ten are judged', async () => {
    const clients = servers.map(({ url }) => openHttpClient(url));
    const replies = await Promise.all(
      clients.flatMap(({ send }) =>
        Array.from({ length: 16 }, () => openBrowser(send).submit('/admin/login', wrong)),
      ),
    );
    for (const client of clients) client.close();
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(servers.length * 16 - 10);
  });
});

describe('behind a proxy that ends TLS', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ baseUrl: 'https://x.test', proxyTrust: '127.0.0.1' });
    await createOwner(app.ctx, { ...right, name: 'Ops' });
  });
  afterAll(() => app.close());

  const https = { 'X-Forwarded-Proto': 'https' };
  const flags = /; Path=\/; HttpOnly; Secure; SameSite=Lax$/;

  it('the cookie is for https only, before and after the sign-in', async () => {
    const browser = openBrowser((path, sent) =>
      app.send(path, { ...sent, headers: { ...https, ...sent?.headers } }),
    );
    expect((await browser.open('/admin/login')).headers['set-cookie']).toEqual([
      expect.stringMatching(flags),
    ]);
    const { status, headers } = await browser.submit('/admin/login', right, { Origin: 'https://x.test' });
    expect([status, headers['set-cookie']]).toEqual([303, [expect.stringMatching(flags)]]);
    expect((await browser.open('/admin/')).status).toBe(200);
  });

  it('so is that of a sign-in by JSON; whoever comes by plain http gets none', async () => {
    const send = (headers: Record<string, string>) =>
      app.send('/api/v1/admin/auth/login', { body: right, headers });
    const { status, headers } = await send({ ...https, Origin: 'https://x.test' });
    expect([status, headers['set-cookie']]).toEqual([200, [expect.stringMatching(flags)]]);
    expect((await send({ Origin: 'https://x.test' })).headers['set-cookie']).toBeUndefined();
  });

  it('whoever comes by plain http gets no cookie, and is told where to go', async () => {
    const browser = openBrowser(app.send);
    expect((await browser.open('/admin/login')).headers['set-cookie']).toBeUndefined();
    const { result, changes } = await app.changesBy(() => browser.submit('/admin/login', right));
    expect(result.status).toBe(403);
    expect(result.text).toContain('Open https://x.test and try again');
    expect(changes).toEqual(nothing);
  });
});

it('a proxy that nobody trusts makes no request secure', async () => {
  const app = await startApp({ baseUrl: 'https://x.test' });
  try {
    const { headers } = await app.send('/admin/login', { headers: { 'X-Forwarded-Proto': 'https' } });
    expect(headers['set-cookie']).toBeUndefined();
  } finally {
    await app.close();
  }
});
