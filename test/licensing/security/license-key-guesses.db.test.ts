// Distinct unknown license keys count as unknown credentials of their address (D19d).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

const machineId = 'machine-0001';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({
    limits: 'on',
    proxyTrust: '127.0.0.0/8',
    pins: { 'licensing.limits.failures.max': '3', 'licensing.limits.read.max': '1000' },
  });
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

const from = (ip: string) => ({ 'X-Forwarded-For': ip });
const check = (licenseKey: string, ip: string) =>
  app.get(`/api/v1/license/check/${licenseKey}`, key, from(ip));
const activate = (licenseKey: string, ip: string) =>
  app.post('/api/v1/license/activate', { licenseKey, machineId }, key, from(ip));
const guess = (n: number) => `APP-0000-0000-0000-000${n}`;

describe('guessing license keys', () => {
  it('is refused from the request after the one that was too many; that one is answered as ever', async () => {
    const ip = '192.0.2.1';
    for (const n of [1, 2]) expect((await check(guess(n), ip)).status).toBe(404);
    expect((await activate(guess(3), ip)).body.error?.code).toBe('NOT_FOUND');
    const { status, body } = await app.post(
      '/api/v1/license/validate',
      { licenseKey: guess(4), machineId },
      key,
      from(ip),
    );
    expect([status, body.code]).toEqual([200, 'NOT_FOUND']);
    const refused = await check(guess(5), ip);
    expect([refused.status, refused.body.error?.details?.bucket]).toEqual([429, 'failures']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await app.get('/api/v1/products', key, from(ip))).status).toBe(429);
    expect((await check(guess(5), '192.0.2.2')).status).toBe(404);
  });

  it('repeating one dead key counts once, in any spelling; a malformed one and a known one not at all', async () => {
    const ip = '192.0.2.3';
    const license = await app.license();
    for (let n = 0; n < 4; n++) {
      expect((await check(guess(1), ip)).status).toBe(404);
      expect((await check(guess(1).toLowerCase(), ip)).status).toBe(404);
      expect((await check(`no_key_${n}_really`, ip)).status).toBe(404);
      expect((await check(license.key, ip)).status).toBe(200);
    }
  });

  it('counts together with unknown API keys', async () => {
    const ip = '192.0.2.4';
    for (const n of [1, 2]) await check(guess(n), ip);
    for (const n of [1, 2]) {
      const reply = await app.get('/api/v1/products', `alk_${n}`, from(ip));
      expect(reply.status).toBe(n === 1 ? 401 : 429);
    }
  });
});
