// Honeypots are answered as unknown keys, and their users may be shut out (D131).
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as validation from '#licensing/licenses/validation/index.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { flushEverything } from '../support/jobs.ts';
import { processesOf } from '../support/processes.ts';

const machineId = 'machine-0001';
const unknownKey = 'APP-0000-0000-0000-0000';

let app: TestApp;
let key: string;
let productId: string;
beforeAll(async () => {
  app = await startApp({ proxyTrust: '127.0.0.0/8', listener: true });
  key = (await app.apiKey('FULL_ADMIN')).secret;
  productId = (await app.product({ name: 'Editor', slug: 'bait' })).id;
});
afterAll(() => app.close());

let canary: { id: string; key: string };
beforeEach(async () => {
  const made = await honeypots.create(app.ctx, { productId, label: 'wiki' });
  canary = { id: made.honeypot.id, key: made.key };
});

const from = (ip: string, more: Record<string, string> = {}) => ({ 'X-Forwarded-For': ip, ...more });
const validate = (licenseKey: string, ip = '192.0.2.1', headers: Record<string, string> = {}) =>
  app.post('/api/v1/license/validate', { licenseKey, machineId }, key, from(ip, headers));
const written = () => honeypots.flushHits(app.ctx);

describe('an answer about a honeypot', () => {
  /** A request that carries the key wherever an endpoint may look for it. */
  const ask = ({ method, path }: Endpoint, licenseKey: string) => {
    const body = {
      licenseKey,
      machineId,
      feature: 'export',
      entitlement: 'export',
      entitlementKey: 'export',
      quantity: 1,
      ttlSeconds: 86_400,
      validUntil: '2030-01-01T00:00:00Z',
      reason: 'x',
    };
    const query = `license_key=${licenseKey}&current_version=1.0.0&product=bait&release_id=rel_x`;
    const isGet = method === 'get';
    const to = path.replace('{key}', licenseKey);
    return app.send(isGet ? `${to}?${query}` : to, {
      method: method.toUpperCase(),
      key,
      headers: from('192.0.2.77', { 'X-License-Key': licenseKey }),
      ...(!isGet && { body }),
    });
  };
  const plain = (text: string) =>
    text.replaceAll(/req_[0-9A-Z]{26}/g, 'req').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');

  it('is that about an unknown key, byte for byte, on every endpoint that takes a key', async () => {
    const endpoints = surfacesOf(app.instance.config)
      .flatMap((surface) => surface.endpoints)
      .filter(({ path }) => /\/license\/|\/updates\//.test(path) && !/create|by-order|public-key/.test(path));
    expect(endpoints.length).toBeGreaterThan(10);
    let uses = 0;
    for (const endpoint of endpoints) {
      const bait = await ask(endpoint, canary.key);
      const { path } = endpoint;
      await written();
      uses += 1;
      expect({ path, uses: (await honeypots.get(app.ctx, canary.id)).hits }).toEqual({ path, uses });
      const unknown = await ask(endpoint, unknownKey);
      const seen = [bait, unknown].map(({ status, text, headers }) => ({
        status,
        text: plain(text),
        headers: Object.keys(headers),
      }));
      expect({ path, ...seen[0] }).toEqual({ path, ...seen[1] });
      expect([path, bait.body.error?.code]).not.toEqual([path, expect.stringMatching(/VALIDATION|SERVER/)]);
      expect(bait.text).not.toContain(canary.key);
    }
  });

  it('takes as many look-ups, whether the key is read or locked, typed right or with letters for digits', async () => {
    const origin = { requestId: null, ip: '192.0.2.5', userAgent: null, route: '/x', trail: {} };
    const ctx = app.ctx.with({ origin, actor: { kind: 'api_key', id: 'key_x', label: 'x' } });
    const { db } = app.instance.database;
    const spies = (['first', 'all', 'run'] as const).map((name) => vi.spyOn(Object.getPrototypeOf(db), name));
    const queriesOf = async (work: Promise<unknown>) => {
      await work.catch(() => undefined);
      const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      for (const spy of spies) spy.mockClear();
      return count;
    };
    const wrong = (text: string) => `${text.slice(0, 4)}${text.slice(4, -1).replaceAll('0', 'O')}O`;
    for (const pair of [
      [canary.key, `${canary.key.slice(0, -4)}${canary.key.endsWith('ZZZZ') ? 'YYYY' : 'ZZZZ'}`],
      [wrong(canary.key), wrong(unknownKey)],
    ]) {
      const counts = [];
      for (const licenseKey of pair) {
        const input = { licenseKey, machineId };
        counts.push([
          await queriesOf(validation.validate(ctx, input)),
          await queriesOf(machines.activate(ctx, input)),
        ]);
      }
      expect(counts[0]).toEqual(counts[1]);
    }
    for (const spy of spies) spy.mockRestore();
  });
});

describe('an address that used a canary that shuts out', () => {
  it('is shut out by every process within ten seconds, whichever has seen it', async () => {
    const made = await honeypots.create(app.ctx, { productId, label: 'shared', blockIpSeconds: 600 });
    const ip = '192.0.2.111';
    const [one, other] = processesOf(app, 2) as [Ctx, Ctx];
    for (const process of [one, other]) await honeypots.learnBlocks(process);
    app.clock.advance(30);
    const origin = { requestId: null, ip, userAgent: null, route: '/x', trail: {} };
    await validation.validate(one.with({ origin }), { licenseKey: made.key, machineId });
    // Later than the other one has looked for what was written.
    await honeypots.learnBlocks(other);
    await honeypots.flushHits(one);
    expect(honeypots.blockedSeconds(other, ip)).toBe(0);
    app.clock.advance(10);
    await flushEverything(other);
    expect([one, other].map((process) => honeypots.blockedSeconds(process, ip))).toEqual([590, 590]);
  });

  it('shuts out the /64 of an IPv6 address, and its neighbour not (D16)', async () => {
    const made = await honeypots.create(app.ctx, { productId, label: 'six', blockIpSeconds: 60 });
    expect((await validate(made.key, '2001:db8:7:7::1')).body.code).toBe('NOT_FOUND');
    expect((await validate(unknownKey, '2001:db8:7:7:ffff::2')).status).toBe(429);
    expect((await validate(unknownKey, '2001:db8:7:8::1')).status).toBe(200);
  });

  it('is answered 429 wherever a key opens the door, for its time and after a restart', async () => {
    const made = await honeypots.create(app.ctx, { productId, label: 'shut', blockIpSeconds: 600 });
    const ip = '192.0.2.99';
    expect((await validate(made.key, ip)).body.code).toBe('NOT_FOUND');
    await written();
    const license = await app.license();
    const { result, changes } = await app.changesBy(() => validate(license.key, ip));
    expect([result.status, result.body.error?.code, result.headers['retry-after']]).toEqual([
      429,
      'RATE_LIMITED',
      '600',
    ]);
    expect(result.text).not.toMatch(/honey|canary/i);
    expect(changes).toEqual(nothing);
    expect((await app.get('/api/v1/products', key, from(ip))).status).toBe(429);
    expect((await app.get('/api/health', undefined, from(ip))).status).toBe(200);
    expect((await validate(license.key, '192.0.2.98')).status).toBe(200);
    const [restarted] = processesOf(app, 1);
    expect(honeypots.blockedSeconds(restarted!, ip)).toBe(0);
    await honeypots.learnBlocks(restarted!);
    expect(honeypots.blockedSeconds(restarted!, ip)).toBe(600);
    app.clock.advance(599);
    expect((await validate(license.key, ip)).status).toBe(429);
    app.clock.advance(1);
    expect((await validate(license.key, ip)).status).toBe(200);
    expect(honeypots.blockedSeconds(restarted!, ip)).toBe(0);
  });
});
