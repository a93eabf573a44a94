// POST /api/v1/license/heartbeat: what it writes and how it refuses (spec; D12, D36, D40, D65, D68, D69; C14).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { heartbeat } from '#licensing/licenses/heartbeats/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';

const path = '/api/v1/license/heartbeat';
const machineId = 'machine-0001';
const DAY = 86_400;

let app: TestApp;
let apiKey: string;
beforeAll(async () => {
  app = await startApp();
  apiKey = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

const post = (body: object) => app.changesBy(() => app.post(path, { machineId, ...body }, apiKey));
const inSeconds = (seconds: number) => new Date(app.clock.epochMs() + seconds * 1000).toISOString();
const beaten: Changes = { events: [], rows: { license_activations: '~1' } };

async function activated(extra: Parameters<TestApp['license']>[0] = {}) {
  const license = await app.license(extra);
  await machines.activate(app.ctx, { licenseKey: license.key, machineId });
  app.clock.advance(1);
  return license;
}

const rowOf = (licenseId: string) =>
  app.instance.database.db.knex('license_activations').where({ license_id: licenseId }).first();

const setRow = (licenseId: string, values: object) =>
  app.instance.database.transaction(({ knex }) =>
    knex('license_activations').where({ license_id: licenseId }).update(values),
  );

async function refused(body: object, code: string, status = 400) {
  const { result, changes } = await post(body);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(nothing);
  return result.body.error as (typeof result.body)[string];
}

describe('a heartbeat of an active machine', () => {
  it('sets lastSeenAt and clears the notice of a lapse, and nothing else', async () => {
    const { id, key } = await activated();
    await setRow(id, { lapse_notified_at: app.ctx.now() });
    const before = await rowOf(id);
    const { result, changes } = await post({ key });
    expect([result.status, result.body]).toEqual([200, { success: true }]);
    expect(changes).toEqual(beaten);
    expect(await rowOf(id)).toEqual({ ...before, last_seen_at: app.ctx.now(), lapse_notified_at: null });
  });

  it('tells when the next one is due, by the policy of the license or else of its product (D64)', async () => {
    const policy = await app.policy({ heartbeatInterval: 10 });
    const ofProduct = await app.product({ policyId: policy.id });
    const stricter = await app.policy({ heartbeatInterval: 1 });
    const first = await activated({ productId: ofProduct.id });
    expect((await post({ key: first.key })).result.body.nextHeartbeatAt).toBe(inSeconds(600));
    const second = await activated({ productId: ofProduct.id, policyId: stricter.id });
    expect((await post({ key: second.key })).result.body.nextHeartbeatAt).toBe(inSeconds(60));
  });

  it('omits nextHeartbeatAt under a policy without an interval (D68)', async () => {
    const policy = await app.policy({ gracePeriodSeconds: 5 });
    const { key } = await activated({ policyId: policy.id });
    expect((await post({ key })).result.body).toEqual({ success: true });
  });

  it('takes licenseKey for key, also misspelt, and returns the nonce', async () => {
    const { key } = await activated();
    const nonce = 'abcdefghijklmnop';
    const typed = ` ${key.toLowerCase()} `;
    expect((await post({ licenseKey: typed, nonce })).result.body).toEqual({ success: true, nonce });
    expect((await post({ key, licenseKey: key.toLowerCase() })).changes.rows).toEqual({});
    app.clock.advance(1);
    expect((await post({ key, licenseKey: key.toLowerCase() })).changes).toEqual(beaten);
  });

  it('never moves lastSeenAt backwards', async () => {
    const { id, key } = await activated();
    const ahead = inSeconds(5);
    await setRow(id, { last_seen_at: ahead });
    expect((await post({ key })).result.status).toBe(200);
    expect((await rowOf(id)).last_seen_at).toBe(ahead);
  });

  it('counts for its machine only', async () => {
    const { id, key } = await activated({ maxActivations: 2 });
    await machines.activate(app.ctx, { licenseKey: key, machineId: 'machine-0002' });
    app.clock.advance(60);
    await post({ key });
    const seen = await app.instance.database.db
      .knex('license_activations')
      .where({ license_id: id })
      .orderBy('machine_id')
      .select('last_seen_at');
    expect(seen.map((row) => row.last_seen_at)).toEqual([app.ctx.now(), inSeconds(-60)]);
  });
});

describe('a heartbeat on a lease (D69)', () => {
  it('updates lastSeenAt and does not extend the lease', async () => {
    const { id, key } = await activated({ type: 'FLOATING' });
    const { lease_expires_at: leaseExpiresAt } = await rowOf(id);
    app.clock.advance(600);
    expect((await post({ key })).changes).toEqual(beaten);
    expect(await rowOf(id)).toMatchObject({
      last_seen_at: app.ctx.now(),
      lease_expires_at: leaseExpiresAt,
    });
  });

  it('answers NOT_ACTIVATED from the moment on at which the lease ran out, swept or not', async () => {
    const { key } = await activated({ type: 'FLOATING' });
    app.clock.advance(3600 - 1.001);
    expect((await post({ key })).result.status).toBe(200);
    app.clock.advance(0.001);
    await refused({ key }, 'NOT_ACTIVATED');
  });
});

describe('heartbeat errors, in the order of D68', () => {
  it('heartbeat answers NOT_FOUND for an unknown key', async () => {
    const error = await refused({ key: 'APP-0000-0000-0000-0000' }, 'NOT_FOUND', 404);
    expect(error).toEqual({ code: 'NOT_FOUND', message: 'License not found' });
  });

  it('heartbeat answers NOT_FOUND for a license of another tenant, in the trash or outside the API key', async () => {
    const other = await app.otherTenant();
    const product = await app.product({}, other);
    const foreign = await app.license({ productId: product.id }, other);
    await machines.activate(other, { licenseKey: foreign.key, machineId });
    await refused({ key: foreign.key }, 'NOT_FOUND', 404);
    const trashed = await activated();
    await app.instance.database.transaction(({ knex }) =>
      knex('licenses').where({ id: trashed.id }).update({ deleted_at: app.ctx.now() }),
    );
    await refused({ key: trashed.key }, 'NOT_FOUND', 404);
    const confined = await app.apiKey('VALIDATE_ONLY', { productIds: [(await app.product()).id] });
    const { key } = await activated();
    expect((await app.post(path, { key, machineId }, confined.secret)).status).toBe(404);
  });

  it('heartbeat answers LICENSE_INACTIVE for a license that is EXPIRED, before any job ran', async () => {
    const validUntil = inSeconds(DAY);
    const { key } = await activated({ validUntil });
    app.clock.advance(DAY - 1.001);
    expect((await post({ key })).result.status).toBe(200);
    app.clock.advance(0.001);
    const error = await refused({ key }, 'LICENSE_INACTIVE');
    expect(error.details).toEqual({
      status: 'EXPIRED',
      since: validUntil,
      expiredAt: validUntil,
      grace: false,
    });
  });

  it('heartbeat answers LICENSE_INACTIVE in the grace period (D36)', async () => {
    const { key } = await activated({ validUntil: inSeconds(DAY), gracePeriodSeconds: DAY });
    app.clock.advance(DAY);
    const error = await refused({ key }, 'LICENSE_INACTIVE');
    expect(error.details).toMatchObject({ status: 'EXPIRED', grace: true });
  });

  it('heartbeat answers LICENSE_INACTIVE while SUSPENDED; reinstate counts the machine as seen (D40)', async () => {
    const { id, key } = await activated();
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    const since = app.ctx.now();
    const error = await refused({ key }, 'LICENSE_INACTIVE');
    expect(error.details).toEqual({ status: 'SUSPENDED', since, expiredAt: null, grace: false });
    app.clock.advance(DAY);
    await licenses.reinstate(app.ctx, id);
    expect((await rowOf(id)).last_seen_at).toBe(app.ctx.now());
    app.clock.advance(1);
    expect((await post({ key })).changes).toEqual(beaten);
  });

  it('heartbeat answers LICENSE_INACTIVE for a REVOKED license, also for a machine that never was active', async () => {
    const { id, key } = await activated();
    await licenses.revoke(app.ctx, { licenseId: id }, null);
    await refused({ key }, 'LICENSE_INACTIVE');
    const error = await refused({ key, machineId: 'machine-0002' }, 'LICENSE_INACTIVE');
    expect(error.message).toBe('License has been revoked');
  });

  it('heartbeat answers NOT_ACTIVATED for a machine not activated', async () => {
    const { key } = await activated({ maxActivations: 3 });
    const error = await refused({ key, machineId: 'machine-0002' }, 'NOT_ACTIVATED');
    expect(error).toEqual({
      code: 'NOT_ACTIVATED',
      message: 'License is not activated on this machine',
      details: { status: 'ACTIVE', activationsUsed: 1, maxActivations: 3 },
    });
    // A machineId is compared as it is: case, space and form of a letter count.
    await refused({ key, machineId: machineId.toUpperCase() }, 'NOT_ACTIVATED');
    await refused({ key, machineId: `${machineId} ` }, 'NOT_ACTIVATED');
  });

  it('heartbeat answers NOT_ACTIVATED after deactivate, and 200 after a new activation', async () => {
    const { key } = await activated();
    await machines.deactivate(app.ctx, { licenseKey: key, machineId });
    await refused({ key }, 'NOT_ACTIVATED');
    await machines.activate(app.ctx, { licenseKey: key, machineId });
    app.clock.advance(1);
    expect((await post({ key })).result.status).toBe(200);
  });

  it('heartbeat answers INVALID_KEY for a character that no key has', async () => {
    for (const key of ['APP_0000_0000_0000', 'APP-0000-0000-000é', 'APP-0000-0000-0000-ſ']) {
      await refused({ key }, 'INVALID_KEY');
    }
  });

  it.each([
    [{}, 'key'],
    [{ key: 5 }, 'key'],
    [{ key: null }, 'key'],
    [{ key: 'APP-00000' }, 'key'],
    [{ key: 'A'.repeat(101) }, 'key'],
    [{ key: 'APP-0000-0000-0000', licenseKey: 'APP-0000-0000-0001' }, 'key'],
    [{ key: 'APP-0000-0000-0000', machineId: 'short' }, 'machineId'],
    [{ key: 'APP-0000-0000-0000', machineId: 'é'.repeat(256) }, 'machineId'],
    [{ key: 'APP-0000-0000-0000', machineId: ['machine-0001'] }, 'machineId'],
    [{ key: 'APP-0000-0000-0000', machineId: 'machine\u0000001' }, ''],
    [{ key: 'APP-0000-0000-0000', nonce: 'short' }, 'nonce'],
  ])('heartbeat answers VALIDATION_ERROR for %j', async (body, at) => {
    const error = await refused(body, 'VALIDATION_ERROR');
    expect(error?.details?.issues?.[0]?.path).toBe(at);
  });

  it('bounds of machineId are 8 and 255 code points; __proto__ in a body is no fault', async () => {
    const license = await app.license({ maxActivations: 2 });
    for (const machine of ['m'.repeat(8), '😀'.repeat(255)]) {
      await machines.activate(app.ctx, { licenseKey: license.key, machineId: machine });
      app.clock.advance(1);
      const reply = await app.send(path, {
        key: apiKey,
        headers: { 'Content-Type': 'application/json' },
        body: `{"key":"${license.key}","machineId":"${machine}","__proto__":{"machineId":"x"}}`,
      });
      expect(reply.status).toBe(200);
    }
  });
});

it('heartbeats while other processes end the activation: each is either noted or NOT_ACTIVATED', async () => {
  const { id, key } = await activated();
  const beats = Array.from(
    { length: 20 },
    async () => (await app.post(path, { key, machineId }, apiKey)).body,
  );
  const ended = machines.deactivate(app.ctx, { licenseKey: key, machineId });
  const bodies = await Promise.all(beats);
  await ended;
  const codes = new Set(bodies.map((body) => (body.success ? 'noted' : body.error?.code)));
  for (const code of codes) expect(['noted', 'NOT_ACTIVATED']).toContain(code);
  expect((await rowOf(id)).end_reason).toBe('CLIENT');
});

type Work = Parameters<Ctx['tx']>[0];
const bound = (ctx: Ctx, name: keyof Ctx) => {
  const value = ctx[name];
  return typeof value === 'function' ? value.bind(ctx) : value;
};

it('an activation that ends between the look and the UPDATE is answered by how its license stands then', async () => {
  for (const [end, code] of [
    [(id: string) => licenses.revoke(app.ctx, { licenseId: id }, null), 'LICENSE_INACTIVE'],
    [(id: string) => machines.remove(app.ctx, id, machineId), 'NOT_ACTIVATED'],
  ] as const) {
    const { id, key } = await activated();
    // The use case asks for its transaction when the look is done: what ends before it begins came in between.
    const between = new Proxy(app.ctx, {
      get: (ctx, name) =>
        name === 'tx' ? (work: Work) => end(id).then(() => ctx.tx(work)) : bound(ctx, name as keyof Ctx),
    });
    await expect(heartbeat(between, { licenseKey: key, machineId })).rejects.toMatchObject({ code });
  }
});

it('demands VALIDATE_ONLY', async () => {
  const { key } = await activated();
  const readOnly = await app.apiKey('READ_ONLY');
  const reply = await app.post(path, { key, machineId }, readOnly.secret);
  expect([reply.status, reply.body.error?.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  expect((await app.post(path, { key, machineId })).body.error?.code).toBe('API_KEY_REQUIRED');
});
