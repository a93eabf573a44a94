// X-License-Key: who may ask for updates, and what that costs (spec, License key; D3, D36, D100, licensing 6.8).
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Db } from '#kernel/db/database.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { admit } from '#licensing/releases/updates/access.ts';
import { check } from '#licensing/releases/updates/check.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { processesOf } from '../support/processes.ts';
import { published, signedProduct } from './release-fixture.ts';
import { refused, updateRequests } from './updates.ts';

let app: TestApp;
let send: ReturnType<typeof updateRequests>;
let product: Product;
let key: string;
beforeAll(async () => {
  app = await startApp();
  send = updateRequests(app);
  product = await signedProduct(app.ctx, 'reader');
  await published(app.ctx, product, '1.2.0');
  key = (await app.license({ productId: product.id })).key;
});
afterAll(() => app.close());

const staff = { reason: 'ADMIN', note: null } as const;
const unknown = 'APP-0000-0000-0000-0000';
const invalid = { code: 'INVALID_LICENSE', message: 'License key is not valid' };

describe('who may ask', () => {
  it('is told one and the same for every reason', async () => {
    const suspended = await app.license({ productId: product.id });
    await licenses.suspend(app.ctx, suspended.id, staff);
    const revoked = await app.license({ productId: product.id });
    await licenses.revoke(app.ctx, { licenseId: revoked.id }, null);
    const trashed = await app.license({ productId: product.id });
    await licenses.trash(app.ctx, trashed.id, null);
    const expired = await app.license({ productId: product.id, validUntil: app.ctx.now(), force: true });
    const graced = await app.license({
      productId: product.id,
      validUntil: app.ctx.now(),
      policyId: (await app.policy({ gracePeriodSeconds: 600 })).id,
      force: true,
    });
    const canary = await honeypots.create(app.ctx, { productId: product.id, label: 'bait' });
    const keys = [null, '', unknown, 'no key at all!', canary.key, `${'A'.repeat(5000)}`];
    keys.push(suspended.key, revoked.key, trashed.key, expired.key, graced.key);
    for (const name of ['check', 'manifest', 'download'] as const) {
      for (const typed of keys) {
        const reply = await send.get(name, typed, { current_version: 'nonsense', release_id: '../x' });
        expect([typed, reply.status, reply.body.error]).toEqual([typed, 401, invalid]);
      }
    }
  });

  it('types a key in its own way (D11)', async () => {
    const typed = ` ${key.toLowerCase()} `;
    expect((await send.check(typed)).status).toBe(200);
  });

  it('is of any tenant: the key decides it, and a suspended tenant is nobody (D100)', async () => {
    const ctx = await app.otherTenant();
    const foreign = await signedProduct(ctx, 'reader');
    await published(ctx, foreign, '9.0.0');
    const { key: own } = await app.license({ productId: foreign.id }, ctx);
    expect((await send.check(own)).body.version).toBe('9.0.0');
    await tenants.suspend(app.ctx, ctx.tenantId);
    expect((await send.check(own)).body.error).toEqual(invalid);
    expect(
      refused(
        await send.get('public-key', null, {
          product: 'reader',
          tenant: ctx.tenantId.slice(-12).toLowerCase(),
        }),
      ),
    ).toEqual([404, 'NOT_FOUND']);
    await tenants.reinstate(app.ctx, ctx.tenantId);
    expect((await send.check(own)).body.version).toBe('9.0.0');
  });

  it('may have expired where the product gives critical updates (6.8)', async () => {
    const generous = await signedProduct(app.ctx, 'generous', { criticalUpdatesForExpired: true });
    const critical = await published(app.ctx, generous, '1.0.5', { isCritical: true });
    const plain = await published(app.ctx, generous, '1.1.0');
    const validUntil = new Date(app.clock.epochMs() + 60_000).toISOString();
    const { id, key: own } = await app.license({ productId: generous.id, type: 'SUBSCRIPTION', validUntil });
    expect((await send.check(own)).body).toMatchObject({ version: '1.1.0', is_critical: true });
    app.clock.advance(60);
    expect((await send.check(own)).body).toMatchObject({ version: '1.0.5', is_critical: true, lapsed: true });
    expect((await send.check(own, { current_version: '1.0.5' })).body).toMatchObject({
      update_available: false,
      lapsed: true,
    });
    expect((await send.manifest(own, critical.id)).status).toBe(200);
    expect((await send.download(own, critical.id)).status).toBe(200);
    expect(refused(await send.manifest(own, plain.id))).toEqual([401, 'INVALID_LICENSE']);
    await licenses.suspend(app.ctx, id, staff);
    expect(refused(await send.check(own))).toEqual([401, 'INVALID_LICENSE']);
  });
});

describe('a check', () => {
  it('costs one query of the license and one of the signer, once the releases are remembered', async () => {
    await published(app.ctx, product, '1.3.0');
    const { db } = app.instance.database;
    const spies = (['first', 'all', 'run'] as const).map((name) => vi.spyOn(Object.getPrototypeOf(db), name));
    const costs: number[] = [];
    for (let n = 0; n < 5; n++) {
      for (const spy of spies) spy.mockClear();
      await send.check(key);
      costs.push(spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0));
    }
    for (const spy of spies) spy.mockRestore();
    // What runs beside it in this process asks as well now and then: the least is what a check costs.
    const [first = 0, ...later] = costs;
    expect([first > Math.min(...later), Math.min(...later)]).toEqual([true, 2]);
  });

  it('of every process sees a change at once, whatever it remembers (decision 0025)', async () => {
    const other = await signedProduct(app.ctx, 'shared');
    const { id } = await published(app.ctx, other, '2.0.0');
    const { key: own } = await app.license({ productId: other.id });
    const asked = { current_version: '1.0.0', channel: 'stable' } as const;
    const processes = processesOf(app, 2);
    const offers = () =>
      Promise.all(
        processes.map(async (ctx) => {
          const standing = await admit(ctx, {
            header: (name) => (name === 'x-license-key' ? own : undefined),
            query: {},
          });
          return (await check(ctx, standing, asked, { licenseKey: '', machineId: '' })).update_available;
        }),
      );
    expect(await offers()).toEqual([true, true]);
    await releases.yank(app.ctx, id, { reason: 'broken' });
    expect(await offers()).toEqual([false, false]);
    await releases.unyank(app.ctx, id);
    expect(await offers()).toEqual([true, true]);
  });

  it('reads the releases again after they could not be read', async () => {
    const other = await signedProduct(app.ctx, 'unlucky');
    await published(app.ctx, other, '2.0.0');
    const { key: own } = await app.license({ productId: other.id });
    const db = Object.getPrototypeOf(app.instance.database.db) as Db;
    const real = db.all;
    let failures = 0;
    // The server reads other things by its own timer: only this product's releases fail.
    const spy = vi.spyOn(db, 'all').mockImplementation(function (this: Db, statement, values) {
      const isMeant = statement.sql.includes('license_releases') && values.includes(other.id);
      if (!isMeant || failures > 0) return real.call(this, statement, values) as Promise<never[]>;
      failures += 1;
      return Promise.reject(new Error('the disk is on fire'));
    });
    try {
      expect(refused(await send.check(own))).toEqual([500, 'SERVER_ERROR']);
      expect((await send.check(own)).body.version).toBe('2.0.0');
    } finally {
      spy.mockRestore();
    }
  });
});
