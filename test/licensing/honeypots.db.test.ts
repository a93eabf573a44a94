// Canary keys and replaced keys: told of behind the answer, hidden everywhere else (D130, D131, 6.9).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as abuse from '#licensing/insight/abuse/index.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import { countAll } from '#licensing/insight/totals/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { takeDeadKeyUses } from '#licensing/licenses/standing/index.ts';
import * as validation from '#licensing/licenses/validation/index.ts';
import { integrityChecks } from '#licensing/moving/integrity/checks.ts';
import { startApp, type TestApp } from '../support/app.ts';
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
  (await honeypots.listHits(app.ctx, id, { page: 1, limit: 50 })).items;
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
    const list = async (filter: object) =>
      (await licenses.listLicenses(app.ctx, filter, { offset: 0, limit: 500 })).items.map(({ id }) => id);
    expect(await list({})).not.toContain(canary.id);
    expect(await list({ q: canary.key })).toEqual([]);
    expect(await list({ q: canary.id })).toEqual([]);
    expect((await licenses.listAfter(app.ctx, {}, '', 500)).map(({ id }) => id)).not.toContain(canary.id);
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
    expect((await honeypots.list(other, { page: 1, limit: 10 })).items).toEqual([]);
    expect(await codeOf(honeypots.listHits(other, canary.id, { page: 1, limit: 10 }))).toBe('NOT_FOUND');
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
    const page = await honeypots.list(app.ctx, { page: 1, limit: 1 });
    expect(page.items).toEqual([result.honeypot]);
    expect(JSON.stringify(page)).not.toContain(result.key);
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
    expect(await codeOf(honeypots.listHits(app.ctx, license.id, { page: 1, limit: 1 }))).toBe('NOT_FOUND');
  });
});

describe('a replaced key', () => {
  const replace = (id: string, extra: object) =>
    licenses.replaceKey(app.ctx, id, { reason: 'leaked', ...extra });
  const openRules = async (licenseId: string) =>
    (await abuse.list(app.ctx, { licenseId, status: 'OPEN' }, { page: 1, limit: 9 })).items.map(
      ({ rule }) => rule,
    );

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
      (await abuse.list(app.ctx, { licenseId: license.id }, { page: 1, limit: 9 })).items[0]?.evidence,
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
