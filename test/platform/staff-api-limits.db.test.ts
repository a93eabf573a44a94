// How often somebody may try passwords at the JSON door, what an operator sees of it, and five hundred at once (M13,
// A045, A085).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwner } from '#platform/accounts/index.ts';
import { flushRefusals, list } from '#platform/limit-refusals/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { openHttpClient } from '../support/http-client.ts';
import { openPanel } from '../support/panel.ts';

const right = { email: 'ops@x.test', password: 'correct horse' };
const wrong = { email: 'nobody@x.test', password: 'wrong' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ limits: 'on', proxyTrust: '127.0.0.1' });
  await createOwner(app.ctx, { ...right, name: 'Ops' });
});
afterAll(() => app.close());

const from = (ip: string) => ({ 'X-Forwarded-For': ip });
const refusalsOf = async (bucket: string) => {
  await flushRefusals(app.ctx);
  return (await list(app.ctx, { bucket })).map(({ kind, subject, count }) => [kind, subject, count]);
};

it('ten tries of one address in five minutes, at the JSON door and the page together', async () => {
  const ip = '203.0.113.1';
  const attempts = [wrong, { ...wrong, email: 'NOBODY@x.test' }, {}, { ...wrong, more: 1 }];
  for (let n = 0; n < 8; n++) {
    const to = n % 2 === 0 ? '/auth/login' : '/auth/token';
    const { status, headers } = await openPanel(app).post(to, attempts[n % 4], from(ip));
    expect([status, headers['ratelimit-remaining']]).toEqual([n % 4 < 2 ? 401 : 400, String(9 - n)]);
  }
  for (let n = 0; n < 2; n++) await openBrowser(app.send).submit('/admin/login', wrong, from(ip));
  for (const to of ['/auth/login', '/auth/token']) {
    const { status, body, headers } = await openPanel(app).post(to, right, from(ip));
    expect([status, body.error?.code, headers['retry-after']]).toEqual([
      429,
      'RATE_LIMITED',
      headers['ratelimit-reset'],
    ]);
  }
  expect((await openPanel(app).signIn(right, from('203.0.113.2'))).status).toBe(200);
  expect(await refusalsOf('sign-in')).toEqual([['address', ip, 2]]);
});

it('ten tries of an account that is signed in, from wherever it asks; the address is on record, not the account', async () => {
  const panel = openPanel(app);
  await panel.signIn(right, from('203.0.113.3'));
  const sudo = (n: number) => panel.post('/auth/sudo', { password: right.password }, from(`203.0.113.${n}`));
  for (let n = 10; n < 20; n++) expect((await sudo(n)).status).toBe(200);
  expect((await sudo(20)).status).toBe(429);
  expect(await refusalsOf('prove-password')).toEqual([['address', '203.0.113.20', 1]]);
});

it('five hundred at once wait in a bounded queue: the others are sent away for two seconds, whatever they sent', async () => {
  const clients = Array.from({ length: 8 }, () => openHttpClient(app.url));
  const replies = await Promise.all(
    Array.from({ length: 500 }, (_, n) =>
      (clients[n % 8] as (typeof clients)[number]).send('/api/v1/admin/auth/login', {
        body: [right, wrong, {}][n % 3],
        headers: from(`198.51.${Math.floor(n / 250)}.${n % 250}`),
      }),
    ),
  );
  for (const client of clients) client.close();
  const of = (wanted: number) => replies.filter(({ status }) => status === wanted);
  expect(of(200).length + of(401).length + of(400).length + of(429).length).toBe(500);
  expect(of(200).length + of(401).length).toBeGreaterThanOrEqual(50);
  expect(of(429).length).toBeGreaterThan(200);
  for (const { headers, body } of of(429))
    expect([headers['retry-after'], body.error?.code]).toEqual(['2', 'RATE_LIMITED']);
  const unread = replies.filter(({ status }, n) => n % 3 === 2 && status !== 400);
  expect(unread.length).toBeGreaterThan(50);
  expect(new Set(unread.map(({ status }) => status))).toEqual(new Set([429]));
  expect((await openPanel(app).signIn(right, from('203.0.113.99'))).status).toBe(200);
});
