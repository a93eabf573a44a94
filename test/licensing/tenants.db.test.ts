// Tenants: what they are, and that nothing of one is visible to another (D132, licensing 2.2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { type MadeKey, type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const typesOf = async (subject: string) => (await app.eventsOf(subject)).map(({ type }) => type);

describe('a tenant', () => {
  it('is made, listed, shown by slug and id', async () => {
    const made = await tenants.create(app.ctx, {
      slug: 'acme',
      name: 'Acme',
      hostnames: ['keys.acme.example', 'keys.acme.example'],
    });
    expect(made).toMatchObject({ slug: 'acme', hostnames: ['keys.acme.example'], status: 'ACTIVE' });
    expect(await tenants.get(app.ctx, 'acme')).toEqual(made);
    expect(await tenants.get(app.ctx, made.id)).toEqual(made);
    const { items } = await tenants.list(app.ctx, { page: 1, limit: 50 });
    expect(items.map(({ slug }) => slug)).toEqual(['acme', 'default']);
    expect(await typesOf(made.id)).toEqual(['TENANT_CREATED']);
  });

  it.each([
    [{ slug: '', name: 'X' }, ['slug']],
    [{ slug: 'Upper', name: 'X' }, ['slug']],
    [{ slug: 'a'.repeat(64), name: 'X' }, ['slug']],
    [{ slug: 'ok', name: '' }, ['name']],
    [{ slug: 'ok', name: 'X', hostnames: ['https://a.example'] }, ['hostnames.0']],
    [{ slug: 'ok', name: 'X', hostnames: ['A.example'] }, ['hostnames.0']],
    [{ slug: 'ok', name: 'X', hostnames: ['a..b'] }, ['hostnames.0']],
    [{ slug: 'ok', name: 'X', plan: 'gold' }, ['']],
  ])('refuses %j', async (input, paths) => {
    expect(await faultsOf(tenants.create(app.ctx, input as tenants.TenantCreateInput))).toEqual(paths);
  });

  it('shares neither slug nor host name', async () => {
    await tenants.create(app.ctx, { slug: 'one', name: 'One', hostnames: ['one.example'] });
    const taken = refusalOf(tenants.create(app.ctx, { slug: 'one', name: 'Again' }));
    expect(await taken).toMatchObject({ code: 'CONFLICT', details: { reason: 'DUPLICATE' } });
    const two = await tenants.create(app.ctx, { slug: 'two', name: 'Two' });
    const host = tenants.update(app.ctx, two.id, { hostnames: ['one.example'] });
    expect((await refusalOf(host)).message).toBe('host name one.example belongs to tenant one');
  });

  it('of ten at once with one host name one is made', async () => {
    const tries = Array.from({ length: 10 }, (_, n) =>
      tenants.create(app.ctx, { slug: `race-${n}`, name: 'R', hostnames: ['race.example'] }),
    );
    const done = await Promise.allSettled(tries);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('changes, with a difference in the timeline; its key format must be its own', async () => {
    const tenant = await tenants.create(app.ctx, { slug: 'formed', name: 'Formed' });
    const inside = app.ctx.with({ tenantId: tenant.id });
    const own = await keyFormats.create(inside, { name: 'own', prefix: 'OWN', segments: 5 });
    const foreign = await keyFormats.create(app.ctx, { name: 'foreign', prefix: 'FOR', segments: 5 });
    expect(await codeOf(tenants.update(app.ctx, 'formed', { defaultKeyFormatId: foreign.id }))).toBe(
      'NOT_FOUND',
    );
    expect(await tenants.update(app.ctx, 'formed', { defaultKeyFormatId: own.id })).toMatchObject({
      defaultKeyFormatId: own.id,
    });
    const { key } = await app.license({}, inside);
    expect(key).toMatch(/^OWN(-[0-9A-Z]{4}){5}$/);
    await tenants.update(app.ctx, 'formed', { defaultKeyFormatId: own.id });
    expect((await typesOf(tenant.id)).filter((type) => type === 'TENANT_UPDATED')).toHaveLength(1);
  });

  it('default can be neither renamed nor suspended', async () => {
    expect(await codeOf(tenants.suspend(app.ctx, 'default'))).toBe('CONFLICT');
    expect(await codeOf(tenants.update(app.ctx, 'default', { slug: 'other' }))).toBe('CONFLICT');
    expect((await tenants.update(app.ctx, 'default', { name: 'Us' })).name).toBe('Us');
  });

  it('unknown is NOT_FOUND', async () => {
    expect(await codeOf(tenants.get(app.ctx, 'nobody'))).toBe('NOT_FOUND');
    expect(await codeOf(tenants.suspend(app.ctx, 'nobody'))).toBe('NOT_FOUND');
  });
});

describe('another tenant', () => {
  let ours: MadeKey;
  let theirs: Ctx;
  let license: MadeLicense;
  let floating: MadeLicense;
  const machineId = 'machine-0001';

  beforeAll(async () => {
    theirs = await app.otherTenant();
    license = await app.license({ orderId: 'order-1' }, theirs);
    const product = await app.product({ defaultLicenseType: 'FLOATING' }, theirs);
    floating = await app.license({ productId: product.id }, theirs);
    ours = await app.apiKey('FULL_ADMIN');
    const own = await app.apiKey('FULL_ADMIN', {}, theirs);
    const held = await app.post(
      '/api/v1/license/activate',
      { licenseKey: license.key, machineId },
      own.secret,
    );
    expect(held.status).toBe(200);
  });

  const keyed: [path: string, more: object][] = [
    ['activate', { machineId }],
    ['deactivate', { machineId }],
    ['heartbeat', { machineId }],
    ['checkout', { machineId }],
    ['checkin', { machineId }],
    ['record-usage', { feature: 'render' }],
    ['validate-entitlement', { entitlement: 'sso' }],
    ['offline-token', { machineId }],
    ['revoke', {}],
    ['renew', { validUntil: '2030-01-01T00:00:00Z' }],
  ];

  it.each(keyed)('is unknown to %s', async (path, more) => {
    for (const { key } of [license, floating]) {
      const body = { licenseKey: key, ...more };
      const { result: reply, changes } = await app.changesBy(() =>
        app.post(`/api/v1/license/${path}`, body, ours.secret),
      );
      expect([reply.status, reply.body.error]).toMatchObject([404, { code: 'NOT_FOUND' }]);
      expect(changes.events).toEqual([]);
    }
  });

  it.each(['revoke', 'renew'])('is unknown to %s by its id', async (path) => {
    const body = { licenseId: license.id, validUntil: '2030-01-01T00:00:00Z' };
    const reply = await app.post(`/api/v1/license/${path}`, body, ours.secret);
    expect([reply.status, reply.body.error]).toMatchObject([404, { code: 'NOT_FOUND' }]);
  });

  it('is unknown to validate, check, by-order and products', async () => {
    const validated = await app.post(
      '/api/v1/license/validate',
      { licenseKey: license.key, machineId },
      ours.secret,
    );
    expect(validated.body).toMatchObject({ valid: false, code: 'NOT_FOUND', license: null });
    expect((await app.get(`/api/v1/license/check/${license.key}`, ours.secret)).status).toBe(404);
    expect((await app.get('/api/v1/license/by-order/order-1', ours.secret)).body.licenses).toEqual([]);
    expect((await app.get('/api/v1/products', ours.secret)).body.products).toEqual([]);
  });

  it('lends neither product nor idempotency key to create', async () => {
    const { id } = await app.product({}, theirs);
    const body = { productId: id, customerEmail: 'ann@x.test' };
    expect((await app.post('/api/v1/license/create', body, ours.secret)).status).toBe(404);
    const own = await app.apiKey('FULL_ADMIN', {}, theirs);
    const headers = { 'X-Idempotency-Key': 'shared' };
    const first = await app.post('/api/v1/license/create', body, own.secret, headers);
    const here = { ...body, productId: (await app.product()).id };
    const second = await app.post('/api/v1/license/create', here, ours.secret, headers);
    expect([first.status, second.status]).toEqual([201, 201]);
  });

  it('when suspended answers 403 with its own API keys, and opens again', async () => {
    const own = await app.apiKey('VALIDATE_ONLY', {}, theirs);
    await tenants.suspend(app.ctx, theirs.tenantId);
    const shut = await app.post(
      '/api/v1/license/validate',
      { licenseKey: license.key, machineId },
      own.secret,
    );
    expect([shut.status, shut.body.error]).toMatchObject([
      403,
      { code: 'INSUFFICIENT_SCOPE', details: { reason: 'TENANT_SUSPENDED' } },
    ]);
    await tenants.suspend(app.ctx, theirs.tenantId);
    await tenants.reinstate(app.ctx, theirs.tenantId);
    const open = await app.post(
      '/api/v1/license/validate',
      { licenseKey: license.key, machineId },
      own.secret,
    );
    expect(open.body.valid).toBe(true);
    const types = (await typesOf(theirs.tenantId)).filter((type) => type.startsWith('TENANT_'));
    expect(types.sort()).toEqual(['TENANT_REINSTATED', 'TENANT_SUSPENDED']);
  });
});
