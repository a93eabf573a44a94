// The log of a server in the browser: its lines, filters, tail, file and histogram; and that it tells no secret.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Log, logTo } from '#kernel/log.ts';
import { LogRing, recentLog } from '#kernel/log-ring.ts';
import * as accounts from '#platform/accounts/index.ts';
import { logTailTimes } from '#platform/logs/stream.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { member, rowsOf, textOf } from './staff.ts';

const PATH = '/admin/system/logs';
const ring = new LogRing();
let log: Log;
let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  log = logTo(ring, 'debug');
  app = await startApp({ log });
  app.ctx.memory.of(recentLog).ring = ring;
  Object.assign(app.ctx.memory.of(logTailTimes), { sendMs: 20, checkMs: 50 });
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ browser } = await member(app));
});

const shown = (html: string): string[][] =>
  rowsOf(html.slice(html.indexOf('id="list"')).replaceAll('rows words log', 'rows'));
const lines = async (query: Record<string, string>, as = browser) =>
  shown((await as.open(`${PATH}?${new URLSearchParams(query)}`)).text);
const messages = (rows: string[][]) => rows.map(([, , , line]) => line);

it('shows the newest lines first, by level, source, text and request', async () => {
  log.warn({ job: 'retention' }, 'a job took long');
  log.error({ err: new Error('no such thing') }, 'broken');
  log.debug('whispered');
  const { headers } = await app.get('/api/v1/license/check/ABCDE-FGHIJ-KLMNO');
  const requestId = String(headers['x-request-id']);
  const own = await lines({ requestId });
  expect(own.map(([, level, source]) => [level, source])).toEqual([['info', 'requests']]);
  expect(own[0]?.[3]).toContain('route=/api/v1/license/check/{key}');
  expect(own[0]?.[4]).toBe(requestId);
  const serious = await lines({ level: 'warn' });
  expect(serious.map(([, level, source]) => [level, source]).slice(0, 2)).toEqual([
    ['error', 'server'],
    ['warn', 'jobs'],
  ]);
  expect(serious[0]?.[3]).toMatch(/^broken .*Error: no such thing/);
  expect(messages(await lines({ source: 'jobs', q: 'TOOK long' }))).toEqual([
    'a job took long job=retention',
  ]);
  expect(messages(await lines({ q: 'whispered' }))).toEqual(['whispered']);
  expect(await lines({ q: 'nobody says this' })).toEqual([]);
  // What cannot be read narrows nothing.
  expect((await browser.open(`${PATH}?level=loud&source=%22`)).status).toBe(200);
});

it('leaves out the requests for itself, and keeps hostile texts as texts', async () => {
  log.warn({ name: '"><script>alert(1)</script>' }, '</pre><script>alert(2)</script>\u202e');
  const { text } = await browser.open(`${PATH}?q=${encodeURIComponent('<script>')}`);
  expect(text).not.toContain('<script>alert');
  expect(text).toContain('&lt;script&gt;alert(1)');
  await browser.open(PATH);
  expect(messages(await lines({ q: PATH }))).toEqual([]);
});

it('tells of new lines within a second, of those that match, and ends with the session', async () => {
  const { text } = await browser.open(`${PATH}?level=warn`);
  const stream = /data-stream="([^"]*)"/.exec(text)?.[1] ?? '';
  expect(stream).toBe('/api/v1/admin/logs/stream?level=warn');
  const opened = await openEventStream(app.url + stream, { Cookie: `cart_session=${browser.session()}` });
  expect([opened.status, opened.headers['x-accel-buffering']]).toEqual([200, 'no']);
  log.info('not this one');
  log.warn({ requestId: 'req_1' }, 'but this one');
  const told = (await opened.next())?.event;
  expect(told).toMatchObject({ level: 'warn', message: 'but this one', requestId: 'req_1' });
  await browser.submit('/admin/logout', {});
  expect(await opened.end()).toBe(true);
});

it('ends for whoever is confined to a tenant or to products meanwhile: lines are about all of them', async () => {
  const product = await app.product({ name: 'Editor', slug: 'editor' });
  for (const scopes of [{ tenant: [app.ctx.tenantId] }, { license_product: [product.id] }]) {
    const one = await member(app);
    const stream = `${app.url}/api/v1/admin/logs/stream?level=warn`;
    const opened = await openEventStream(stream, { Cookie: `cart_session=${one.browser.session()}` });
    expect(opened.status).toBe(200);
    await accounts.setScopes(app.ctx, one.id, scopes);
    expect(await opened.end()).toBe(true);
  }
});

it('gives what matches as a file, the oldest first, and draws its course', async () => {
  log.fatal('first of two');
  log.fatal('second of two');
  const { text } = await browser.open(`${PATH}?level=fatal`);
  expect(text).toContain('id="chart-log-t"');
  const href = /<a href="([^"]*)" download>Download all 2/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  const file = await browser.open(href ?? '');
  expect([file.status, file.headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const read = file.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).message);
  expect(read).toEqual(['first of two', 'second of two']);
  const noted = await browser.open('/admin/audit-log?targetType=logs');
  expect(textOf(noted.text)).toMatch(/export/i);
});

it('tells no secret, whatever is sent with a request', async () => {
  const { secret } = await app.apiKey('FULL_ADMIN');
  const token = (await app.adminToken('owner')).secret;
  const { key } = await app.license();
  await app.post('/api/v1/license/activate', { licenseKey: key, machineId: 'machine-0001' }, secret);
  await app.get(`/api/v1/license/check/${key}`, secret);
  await app.get(`/api/v1/license/check/${key}?licenseKey=${key}&token=${token}`, secret);
  await app.admin('/me', { id: '', secret: token });
  await browser.submit('/admin/login', { email: 'ann@x.test', password: 'not-the-password' });
  log.error(
    { licenseKey: key, password: 'not-the-password', req: { headers: { authorization: token } } },
    'x',
  );
  const { text } = await browser.open(`/api/v1/admin/logs?format=jsonl`);
  expect(text.split('\n').length).toBeGreaterThan(5);
  for (const one of [secret, token, key, 'not-the-password', String(browser.session())])
    expect(text).not.toContain(one);
  expect(text).toContain('***');
});

it('is for the whole installation and for who may see the system', async () => {
  for (const path of [PATH, '/api/v1/admin/logs', '/api/v1/admin/logs/stream']) {
    const licensing = await member(app, ['licensing:write']);
    expect((await licensing.browser.open(path)).status).toBe(403);
    const { tenantId } = await app.otherTenant();
    const confined = await member(app, undefined, tenantId);
    expect((await confined.browser.open(path)).status).toBe(403);
  }
  const { id, browser: leaving } = await member(app);
  const stream = await openEventStream(`${app.url}/api/v1/admin/logs/stream`, {
    Cookie: `cart_session=${leaving.session()}`,
  });
  await accounts.setRoles(app.ctx, id, ['support']);
  expect(await stream.end()).toBe(true);
});
