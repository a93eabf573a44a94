// Canary keys and replaced keys: told of behind the answer, hidden everywhere else, answered as
// unknown keys, and their users may be shut out (D130, D131, 6.9).

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import * as abuse from '#licensing/insight/abuse/index.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import { countAll } from '#licensing/insight/totals/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { takeDeadKeyUses } from '#licensing/licenses/standing/index.ts';
import * as validation from '#licensing/licenses/validation/index.ts';
import { integrityChecks } from '#licensing/moving/integrity/checks.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { flushEverything } from '../support/jobs.ts';
import { processesOf } from '../support/processes.ts';
import { codeOf, faultsOf } from '../support/refusal.ts';

const machineId = 'machine-0001';

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
const hitsOf = async (id = canary.id) =>
  (await honeypots.hitRows.page(app.ctx, { offset: 0, limit: 50, filters: { honeypot: [id] } })).items;
const triggered = async (id = canary.id) =>
  (await app.eventsOf(id)).filter(({ type }) => type === 'HONEYPOT_TRIGGERED').map(({ data }) => data);

describe('the use of a canary', () => {
  it('is told once per key, address and hour, with where it came from', async () => {
    await validate(canary.key, '192.0.2.1', { 'User-Agent': 'curl/8' });
    await written();
    await validate(canary.key.toLowerCase(), '192.0.2.1');
    await app.get(`/api/v1/license/check/${canary.key}`, key, from('192.0.2.1'));
    await written();
    const told = { endpoint: '/api/v1/license/validate', ip: '192.0.2.1', machineId, userAgent: 'curl/8' };
    expect(await triggered()).toEqual([
      {
        licenseId: canary.id,
        licenseKeyPrefix: canary.key.slice(0, 8),
        customerId: null,
        status: 'ACTIVE',
        product: { name: 'Editor', slug: 'bait' },
        details: told,
      },
    ]);
    const heard = app.heard.filter(
      ({ subject, type }) => subject === canary.id && type === 'HONEYPOT_TRIGGERED',
    );
    expect(heard.map(({ data }) => data.machineIds)).toEqual([[]]);
    expect(await hitsOf()).toMatchObject([{ ip: '192.0.2.1', count: 3, machineId, userAgent: 'curl/8' }]);
    await validate(canary.key, '192.0.2.2');
    await written();
    app.clock.advance(3600);
    await validate(canary.key, '192.0.2.1');
    await written();
    expect((await triggered()).map((data) => (data.details as { ip: string }).ip).sort()).toEqual([
      '192.0.2.1',
      '192.0.2.1',
      '192.0.2.2',
    ]);
    expect(await honeypots.get(app.ctx, canary.id)).toMatchObject({ hits: 5, lastHitAt: app.ctx.now() });
    expect(JSON.stringify(await app.eventsOf(canary.id))).not.toContain(canary.key);
  });

  it('by many at once from one address is one event and all are counted', async () => {
    await Promise.all(Array.from({ length: 20 }, () => validate(canary.key, '192.0.2.3')));
    await written();
    expect(await triggered()).toHaveLength(1);
    expect(await hitsOf()).toMatchObject([{ count: 20 }]);
  });

  it('seen by two processes at once is one event', async () => {
    const origin = { requestId: null, ip: '192.0.2.4', userAgent: null, route: '/x', trail: {} };
    await Promise.all(
      processesOf(app, 2).map(async (ctx) => {
        await validation.validate(ctx.with({ origin }), { licenseKey: canary.key, machineId });
        await honeypots.flushHits(ctx);
      }),
    );
    expect(await triggered()).toHaveLength(1);
    expect(await hitsOf()).toMatchObject([{ count: 2 }]);
  });

  it('whose transaction had to be repeated counts once, and two requests count twice', async () => {
    const [ctx] = processesOf(app, 1) as [typeof app.ctx];
    for (const requestId of ['req_one', 'req_one', 'req_two']) {
      const origin = { requestId, ip: '192.0.2.8', userAgent: null, route: '/x', trail: {} };
      await validation.validate(ctx.with({ origin }), { licenseKey: canary.key, machineId });
    }
    await honeypots.flushHits(ctx);
    expect(await hitsOf()).toMatchObject([{ ip: '192.0.2.8', count: 2 }]);
  });

  it('from a thousand addresses is kept in memory, and no more until they are written', async () => {
    const [ctx] = processesOf(app, 1) as [typeof app.ctx];
    for (let n = 0; n < 1002; n++) {
      const ip = `10.9.${n >> 8}.${n & 255}`;
      const origin = { requestId: `req_${n}`, ip, userAgent: null, route: '/x', trail: {} };
      await validation.validate(ctx.with({ origin }), { licenseKey: canary.key, machineId });
    }
    expect(takeDeadKeyUses(ctx)).toHaveLength(1000);
  });

  it('by staff, or through the key of another tenant, is none', async () => {
    await validation.validate(app.ctx, { licenseKey: canary.key, machineId });
    expect(await codeOf(licenses.getByKey(app.ctx, canary.key))).toBe('NOT_FOUND');
    const other = await app.apiKey('FULL_ADMIN', {}, await app.otherTenant());
    await app.post('/api/v1/license/validate', { licenseKey: canary.key, machineId }, other.secret);
    expect(await written()).toBe(0);
    expect(await triggered()).toEqual([]);
  });

  it('that was deleted meanwhile breaks nothing', async () => {
    const origin = { requestId: null, ip: '192.0.2.6', userAgent: null, route: '/x', trail: {} };
    const [ctx] = processesOf(app, 1);
    await validation.validate(ctx!.with({ origin }), { licenseKey: canary.key, machineId });
    await honeypots.remove(app.ctx, canary.id);
    expect(await honeypots.flushHits(ctx!)).toBe(1);
    expect(await triggered()).toEqual([]);
  });
});

describe('a canary is hidden', () => {
  it('from lists, search, single look-ups, exports, counts and checks', async () => {
    const list = async (asked: object) =>
      (await licenses.licenseRows.page(app.ctx, { ...asked, offset: 0, limit: 500 })).items.map(
        ({ id }) => id,
      );
    expect(await list({})).not.toContain(canary.id);
    expect(await list({ q: canary.key })).toEqual([]);
    expect(await list({ q: canary.id })).toEqual([]);
    for await (const page of licenses.licenseRows.stream(app.ctx, {}))
      expect(page.map(({ id }) => id)).not.toContain(canary.id);
    expect(await licenses.licenseRows.find(app.ctx, canary.id)).toBeNull();
    expect(await codeOf(licenses.get(app.ctx, canary.id))).toBe('NOT_FOUND');
    expect(await codeOf(licenses.suspend(app.ctx, canary.id, { reason: 'ADMIN', note: null }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(abuse.flag(app.ctx, canary.id, 'x'))).toBe('NOT_FOUND');
    const before = (await countAll(app.ctx)).licenses;
    await honeypots.create(app.ctx, { productId, label: 'another' });
    expect((await countAll(app.ctx)).licenses).toBe(before);
    const check = integrityChecks.find(({ id }) => id === 'license.invariants');
    const opened = { ctx: app.ctx, current: true };
    const finding = await check?.run({ opened, config: app.instance.config } as never);
    expect(finding).toMatchObject({ status: 'ok' });
  });

  it('from other tenants', async () => {
    const other = await app.otherTenant();
    expect((await honeypots.honeypotRows.page(other, { offset: 0, limit: 10 })).items).toEqual([]);
    expect((await honeypots.hitRows.page(other, { offset: 0, limit: 10 })).items).toEqual([]);
    expect(await codeOf(honeypots.remove(other, canary.id))).toBe('NOT_FOUND');
    expect(await codeOf(honeypots.create(other, { productId, label: 'x' }))).toBe('NOT_FOUND');
  });
});

describe('making and deleting one', () => {
  it('takes a format and a time to shut out; its list shows no whole key', async () => {
    const { result, changes } = await app.changesBy(() =>
      honeypots.create(app.ctx, { productId: 'bait', label: 'x'.repeat(100), blockIpSeconds: 86_400 }),
    );
    expect(changes).toEqual({ events: ['HONEYPOT_CREATED'], rows: { licenses: '+1', license_keys: '+1' } });
    expect(result.key).toMatch(/^APP(-[0-9A-Z]{4}){4}$/);
    expect(result.honeypot).toMatchObject({
      kind: 'CANARY',
      productSlug: 'bait',
      blockIpSeconds: 86_400,
      hits: 0,
    });
    const { text, body } = await app.admin('/honeypots?limit=1', await app.adminToken('owner'));
    expect(body.items).toEqual([result.honeypot]);
    expect(text).not.toContain(result.key);
    const deleted = await app.changesBy(() => honeypots.remove(app.ctx, result.honeypot.id));
    expect(deleted.changes).toEqual({
      events: ['HONEYPOT_DELETED'],
      rows: { licenses: '-1', license_keys: '-1' },
    });
  });

  it('refuses bad input, unknown products and formats; a license is no honeypot', async () => {
    const create = (extra: object) => honeypots.create(app.ctx, { productId, label: 'x', ...extra });
    expect(await faultsOf(create({ label: '' }))).toEqual(['label']);
    expect(await faultsOf(create({ label: 'x'.repeat(101) }))).toEqual(['label']);
    for (const blockIpSeconds of [-1, 86_401, 1.5, '5'])
      expect(await faultsOf(create({ blockIpSeconds }))).toEqual(['blockIpSeconds']);
    expect(await codeOf(create({ productId: 'nope' }))).toBe('NOT_FOUND');
    expect(await codeOf(create({ keyFormatId: 'nope' }))).toBe('NOT_FOUND');
    expect(await codeOf(create({ extra: 1 }))).toBe('VALIDATION_ERROR');
    const license = await app.license();
    expect(await codeOf(honeypots.remove(app.ctx, license.id))).toBe('NOT_FOUND');
    const report = await app.admin(`/honeypots/${license.id}/hits`, await app.adminToken('owner'));
    expect([report.status, report.body.error?.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('a replaced key', () => {
  const replace = (id: string, extra: object) =>
    licenses.replaceKey(app.ctx, id, { reason: 'leaked', ...extra });
  const openRules = async (licenseId: string) =>
    (
      await abuse.flagRows.page(app.ctx, {
        filters: { licenseId: [licenseId], status: ['OPEN'] },
        offset: 0,
        limit: 9,
      })
    ).items.map(({ rule }) => rule);

  it('raises OLD_KEY_USED at any later use, once, and tells no honeypot', async () => {
    const license = await app.license();
    await replace(license.id, {});
    expect((await validate(license.key)).body.code).toBe('NOT_FOUND');
    await written();
    await validate(license.key);
    await written();
    expect(await openRules(license.id)).toEqual(['OLD_KEY_USED']);
    expect((await app.eventsOf(license.id)).filter(({ type }) => type === 'ABUSE_FLAGGED')).toHaveLength(1);
    expect(await triggered(license.id)).toEqual([]);
    expect(
      (await abuse.flagRows.page(app.ctx, { filters: { licenseId: [license.id] }, offset: 0, limit: 9 }))
        .items[0]?.evidence,
    ).toEqual({
      uses: 1,
    });
  });

  it('raises nothing during its overlap', async () => {
    const license = await app.license();
    await replace(license.id, { overlapSeconds: 60, turnOldIntoHoneypot: true });
    expect((await validate(license.key)).body.code).toBe('NOT_ACTIVATED');
    expect(await written()).toBe(0);
    app.clock.advance(60);
    expect((await validate(license.key)).body.code).toBe('NOT_FOUND');
    await written();
    expect(await openRules(license.id)).toEqual(['OLD_KEY_USED']);
    expect(await triggered(license.id)).toHaveLength(1);
  });

  it('turned into a honeypot tells of the license, and its report is listed by the license (6.9)', async () => {
    const license = await app.license({ productId });
    const { newKey } = await replace(license.id, { turnOldIntoHoneypot: true });
    await app.post('/api/v1/license/activate', { licenseKey: newKey, machineId }, key);
    await validate(license.key, '192.0.2.50');
    await written();
    expect(await triggered(license.id)).toMatchObject([
      {
        licenseId: license.id,
        licenseKeyPrefix: newKey.slice(0, 8),
        customerId: expect.stringMatching(/^cus_/),
        status: 'ACTIVE',
        details: { ip: '192.0.2.50', machineId },
      },
    ]);
    expect(await openRules(license.id)).toEqual(['OLD_KEY_USED']);
    expect(await hitsOf(license.id)).toMatchObject([
      { ip: '192.0.2.50', keyPrefix: license.key.slice(0, 8) },
    ]);
    expect(await honeypots.get(app.ctx, license.id)).toMatchObject({ kind: 'REPLACED', hits: 1 });
    expect(await codeOf(honeypots.remove(app.ctx, license.id))).toBe('NOT_FOUND');
    expect((await validate(newKey)).body.valid).toBe(true);
  });
});

const unknownKey = 'APP-0000-0000-0000-0000';

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
    // What waits to be written behind would be counted with them.
    await flushEverything(app.ctx);
    const { database } = app.instance;
    // Outside of a transaction and inside of one.
    const kinds = new Set(
      [database.db, await database.transaction(async (db) => db)].map(Object.getPrototypeOf),
    );
    const spies = [...kinds].flatMap((kind) =>
      (['first', 'all', 'run'] as const).map((name) => vi.spyOn(kind, name)),
    );
    const countOf = async (work: () => Promise<unknown>) => {
      for (const spy of spies) spy.mockClear();
      await work().catch(() => undefined);
      return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    };
    // The application reads a counter now and then, which can only add to one of them.
    const queriesOf = async (work: () => Promise<unknown>) =>
      Math.min(await countOf(work), await countOf(work), await countOf(work));
    const wrong = (text: string) => `${text.slice(0, 4)}${text.slice(4, -1).replaceAll('0', 'O')}O`;
    for (const pair of [
      [canary.key, `${canary.key.slice(0, -4)}${canary.key.endsWith('ZZZZ') ? 'YYYY' : 'ZZZZ'}`],
      [wrong(canary.key), wrong(unknownKey)],
    ]) {
      const counts = [];
      for (const licenseKey of pair) {
        const input = { licenseKey, machineId };
        counts.push([
          await queriesOf(() => validation.validate(ctx, input)),
          await queriesOf(() => machines.activate(ctx, input)),
        ]);
      }
      expect(counts[0]).toEqual(counts[1]);
      expect(Math.min(...counts.flat())).toBeGreaterThan(0);
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
