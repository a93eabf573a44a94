// Which unknown license keys count as unknown credentials of their address (D19d).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

const machineId = 'machine-0001';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({
    limits: 'on',
    proxyTrust: '127.0.0.0/8',
    pins: {
      'licensing.limits.failures.max': '3',
      'licensing.limits.read.max': '1000',
      'licensing.limits.write.max': '1000',
    },
  });
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

const from = (ip: string) => ({ 'X-Forwarded-For': ip });
const guess = (n: number) => `APP-0000-0000-0000-${String(n).padStart(4, '0')}`;
const checkUpdate = (licenseKey: string, ip: string) =>
  app.get('/api/v1/updates/check?current_version=1.0.0', undefined, {
    'X-License-Key': licenseKey,
    ...from(ip),
  });

describe('behind a valid API key', () => {
  it('any number of unknown license keys is answered as documented, and nobody is shut out', async () => {
    const ip = '192.0.2.1';
    const post = (name: string, body: object) =>
      app.post(`/api/v1/license/${name}`, { machineId, ...body }, key, from(ip));
    for (let n = 0; n < 35; n++) {
      const { status, body } = await post('validate', { licenseKey: guess(4 * n) });
      expect([status, body.code]).toEqual([200, 'NOT_FOUND']);
      expect((await post('activate', { licenseKey: guess(4 * n + 1) })).body.error?.code).toBe('NOT_FOUND');
      expect((await post('checkout', { key: guess(4 * n + 2) })).body.error?.code).toBe('NOT_FOUND');
      const checked = await app.get(`/api/v1/license/check/${guess(4 * n + 3)}`, key, from(ip));
      expect(checked.status).toBe(404);
    }
    expect((await app.get('/api/v1/products', key, from(ip))).status).toBe(200);
    const license = await app.license();
    expect((await post('validate', { licenseKey: license.key })).body.code).toBe('NOT_ACTIVATED');
  });

  it('they do not add to the unknown API keys of the address', async () => {
    const ip = '192.0.2.4';
    for (const n of [1, 2, 3, 4, 5]) await app.get(`/api/v1/license/check/${guess(n)}`, key, from(ip));
    for (const n of [1, 2, 3, 4]) {
      const reply = await app.get('/api/v1/products', `alk_${n}`, from(ip));
      expect(reply.status).toBe(n < 4 ? 401 : 429);
    }
  });
});

describe('where the license key alone opens the request', () => {
  it('the address is refused from the request after the one that was too many, with any key', async () => {
    const ip = '192.0.2.2';
    for (const n of [1, 2, 3, 4]) expect((await checkUpdate(guess(n), ip)).status).toBe(401);
    const refused = await checkUpdate(guess(5), ip);
    expect([refused.status, refused.body.error?.details?.bucket]).toEqual([429, 'failures']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await app.get('/api/v1/products', key, from(ip))).status).toBe(429);
    expect((await checkUpdate(guess(5), '192.0.2.5')).status).toBe(401);
  });

  it('repeating one dead key counts once, in any spelling; a malformed one and a known one not at all', async () => {
    const ip = '192.0.2.3';
    const license = await app.license();
    for (let n = 0; n < 4; n++) {
      expect((await checkUpdate(guess(1), ip)).status).toBe(401);
      expect((await checkUpdate(guess(1).toLowerCase(), ip)).status).toBe(401);
      expect((await checkUpdate(`no_key_${n}_really`, ip)).status).toBe(401);
      expect((await checkUpdate(license.key, ip)).status).not.toBe(401);
    }
  });

  it('they count together with unknown API keys', async () => {
    const ip = '192.0.2.6';
    for (const n of [1, 2]) await checkUpdate(guess(n), ip);
    for (const n of [1, 2]) {
      const reply = await app.get('/api/v1/products', `alk_${n}`, from(ip));
      expect(reply.status).toBe(n === 1 ? 401 : 429);
    }
  });
});
