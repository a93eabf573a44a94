// Answers to pages of other origins (D19e): none unless a key lists the origin, and never with cookies.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as apiKeys from '#platform/api-keys/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';

const shop = 'https://shop.test';
const path = '/api/v1/products';
let app: TestApp;
let listed: { id: string; secret: string };
let plain: string;
beforeAll(async () => {
  app = await startApp();
  listed = await app.apiKey('READ_ONLY', { allowedOrigins: [shop] });
  plain = (await app.apiKey('READ_ONLY')).secret;
});
afterAll(() => app.close());

const preflight = (origin: string, to = path) =>
  app.send(to, {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
  });
const allowed = (headers: Record<string, unknown>) => headers['access-control-allow-origin'];

it('a request is opened by its own key only, and only to the exact origin', async () => {
  const origins = async (key: string, origin: string) =>
    allowed((await app.get(path, key, { Origin: origin })).headers);
  expect(await origins(listed.secret, shop)).toBe(shop);
  expect(await origins(plain, shop)).toBeUndefined();
  for (const origin of [
    'https://shop.test.evil.test',
    'http://shop.test',
    'https://shop.test:8443',
    'null',
    '*',
  ])
    expect(await origins(listed.secret, origin)).toBeUndefined();
  const { headers } = await app.get(path, listed.secret, { Origin: shop });
  expect(headers.vary).toBe('Origin');
  expect(headers['access-control-allow-credentials']).toBeUndefined();
});

it('a refusal of the request itself can be read by the page as well', async () => {
  const { status, headers } = await app.get(`${path}?limit=0`, listed.secret, { Origin: shop });
  expect([status, allowed(headers)]).toEqual([400, shop]);
});

it('a preflight is answered when any live key lists the origin', async () => {
  const { status, headers, text } = await preflight(shop);
  expect([status, allowed(headers), text]).toEqual([204, shop, '']);
  expect(headers['access-control-allow-headers']).toContain('X-API-Key');
  expect(headers['access-control-allow-credentials']).toBeUndefined();
  expect((await preflight('https://evil.test')).status).toBe(404);
});

it('an OPTIONS that is no preflight is an unknown method', async () => {
  expect((await app.send(path, { method: 'OPTIONS' })).status).toBe(404);
  expect((await app.send(path, { method: 'OPTIONS', headers: { Origin: shop } })).status).toBe(404);
});

it('a revoked key opens nothing any more', async () => {
  await apiKeys.revoke(app.ctx, 'license', listed.id);
  expect((await preflight(shop)).status).toBe(404);
});
