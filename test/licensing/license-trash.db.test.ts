// The trash (licensing 4.2, 4.5; D41, D42, D123): delete, restore, purge, and the job that empties it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import { licenses as licensesCapability } from '#licensing/licenses/licenses/capability.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';
import { checkInvariants } from '../support/invariants.ts';
import { newestEvents } from '../support/timeline.ts';

const DAY = 86_400;
let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const trash = (id: string, reason: string | null = null) =>
  app.changesBy(() => licenses.trash(app.ctx, id, reason));
const restore = (id: string) => app.changesBy(() => licenses.restore(app.ctx, id));
const restored: Changes = { events: ['LICENSE_RESTORED'], rows: { licenses: '~1' } };
const purgeJob = licensesCapability.jobs?.find(({ name }) => name === 'trash-purge');

async function refused(work: () => Promise<unknown>, code: string, details: object = {}) {
  const { result, changes } = await app.changesBy(() => work().then(String, (error: unknown) => error));
  expect(result).toMatchObject({ code, details });
  expect(changes).toEqual(nothing);
}

async function activeLicense(...machineIds: string[]) {
  const license = await app.license({ maxActivations: 5, orderId: `o-${app.ctx.newId('tst')}` });
  for (const machineId of machineIds)
    await machines.activate(app.ctx, { licenseKey: license.key, machineId });
  return license;
}

describe('trash', () => {
  it('ends all activations and tells which machines there were (D42, D123)', async () => {
    const { id } = await activeLicense('machine-0001', 'machine-0002');
    const { result, changes } = await trash(id, 'made by mistake');
    expect(result).toBe(true);
    expect(changes).toEqual({
      events: ['LICENSE_DELETED'],
      rows: { licenses: '~1', license_activations: '~2' },
    });
    const [event] = (await app.eventsOf(id)).filter(({ type }) => type === 'LICENSE_DELETED');
    const deactivatedMachineIds = ['machine-0001', 'machine-0002'];
    expect(event?.data).toMatchObject({
      status: 'ACTIVE',
      details: { reason: 'made by mistake', deactivatedMachineIds },
    });
    expect(await trash(id)).toEqual({ result: false, changes: nothing });
  });

  it('tells a lease that ran out as what it was, and not among the machines (D75)', async () => {
    const { id, key: licenseKey } = await app.license({ type: 'FLOATING', maxActivations: 2 });
    await machines.activate(app.ctx, { licenseKey, machineId: 'machine-0001' });
    app.clock.advance(1800);
    await machines.activate(app.ctx, { licenseKey, machineId: 'machine-0002' });
    app.clock.advance(1800);
    expect((await trash(id)).changes).toEqual({
      events: ['LEASE_EXPIRED', 'LICENSE_DELETED'],
      rows: { licenses: '~1', license_activations: '~2' },
    });
    const rows = app.instance.database.db.knex('license_activations').where({ license_id: id });
    expect(await rows.orderBy('machine_id').pluck('end_reason')).toEqual(['LEASE_EXPIRED', 'DELETED']);
    const deleted = (await app.eventsOf(id)).find(({ type }) => type === 'LICENSE_DELETED');
    expect(deleted?.data.details).toMatchObject({ deactivatedMachineIds: ['machine-0002'] });
  });

  it('refuses an unknown license, one of another tenant, and a reason that is too long', async () => {
    const { id } = await app.license();
    const other = await app.otherTenant();
    await refused(() => licenses.trash(app.ctx, 'lic_nope', null), 'NOT_FOUND');
    await refused(() => licenses.trash(other, id, null), 'NOT_FOUND');
    await refused(() => licenses.trash(app.ctx, id, 'x'.repeat(501)), 'VALIDATION_ERROR');
    expect((await trash(id, '🎉'.repeat(500))).result).toBe(true);
  });

  it('makes the key unknown to the public API, and hides the license from staff', async () => {
    const license = await activeLicense('machine-0001');
    const { orderId } = await licenses.get(app.ctx, license.id);
    await trash(license.id);
    const body = { licenseKey: license.key, machineId: 'machine-0001' };
    const unknown = { status: 404, body: { success: false, error: { code: 'NOT_FOUND' } } };
    const post = (verb: string, more: object) =>
      app.post(`/api/v1/license/${verb}`, { ...body, ...more }, key);
    expect(await post('validate', {})).toMatchObject({
      status: 200,
      body: { valid: false, status: null, code: 'NOT_FOUND', license: null, activation: null },
    });
    expect(await app.get(`/api/v1/license/check/${license.key}`, key)).toMatchObject(unknown);
    for (const verb of ['activate', 'deactivate', 'heartbeat', 'checkout', 'checkin'])
      expect(await post(verb, {})).toMatchObject(unknown);
    expect(await post('renew', { validUntil: inDays(5) })).toMatchObject(unknown);
    expect(await post('revoke', {})).toMatchObject(unknown);
    const order = await app.get(`/api/v1/license/by-order/${orderId}`, key);
    expect(order.body).toMatchObject({ success: true, licenses: [] });
    await refused(() => licenses.get(app.ctx, license.id), 'NOT_FOUND');
    const listed = async (deleted: boolean) => {
      const asked = { q: license.id, filters: { deleted }, offset: 0, limit: 5 };
      return (await licenses.licenseRows.page(app.ctx, asked)).items;
    };
    expect(await listed(false)).toEqual([]);
    expect(await listed(true)).toMatchObject([{ id: license.id, deletedAt: app.ctx.now() }]);
  });

  it('frees the idempotency key: the same request makes another license', async () => {
    const product = await app.product();
    const body = { productId: product.id, customerEmail: 'idem@x.test' };
    const create = () =>
      app.post('/api/v1/license/create', body, key, { 'x-idempotency-key': `key-${product.id}` });
    const first = await create();
    expect((await create()).body.license).toEqual(first.body.license);
    const { id } = first.body.license as unknown as { id: string };
    expect((await trash(id)).changes.rows).toEqual({ licenses: '~1', license_idempotency: '-1' });
    const second = await create();
    expect([second.status, second.body.idempotent]).toEqual([201, undefined]);
    expect((second.body.license as unknown as { id: string }).id).not.toBe(id);
    await restore(id);
    expect((await create()).body.license).toEqual(second.body.license);
  });

  it('keeps the key taken', async () => {
    const own = `OWN-${app.ctx.newId('tst').slice(-16)}`;
    const { id } = await app.license({ key: own });
    await trash(id);
    await expect(app.license({ key: own })).rejects.toMatchObject({ details: { reason: 'DUPLICATE' } });
  });
});

describe('restore', () => {
  it('brings the license back in its prior status, without activations', async () => {
    const license = await activeLicense('machine-0001');
    await licenses.suspend(app.ctx, license.id, { reason: 'ADMIN', note: null });
    await trash(license.id);
    const { result, changes } = await restore(license.id);
    expect([result, changes]).toEqual([true, restored]);
    expect(await licenses.get(app.ctx, license.id)).toMatchObject({
      storedStatus: 'SUSPENDED',
      activationsUsed: 0,
      deletedAt: null,
    });
    const event = (await app.eventsOf(license.id)).find(({ type }) => type === 'LICENSE_RESTORED');
    const details = { previousStatus: 'SUSPENDED', status: 'SUSPENDED' };
    expect(event?.data).toMatchObject({ status: 'SUSPENDED', details });
    expect(await restore(license.id)).toEqual({ result: false, changes: nothing });
    await refused(() => licenses.restore(app.ctx, 'lic_nope'), 'NOT_FOUND');
  });

  it('of a license whose date had passed before says EXPIRED twice, before the job has stored it (D34)', async () => {
    const { id } = await app.license({ validUntil: inDays(-1) });
    await trash(id);
    await restore(id);
    const event = (await app.eventsOf(id)).find(({ type }) => type === 'LICENSE_RESTORED');
    expect(event?.data.details).toEqual({ previousStatus: 'EXPIRED', status: 'EXPIRED' });
  });

  it('of a license whose date passed in the trash says so, and the expiry is told once', async () => {
    const { id, key: licenseKey } = await app.license({ validUntil: inDays(1) });
    await trash(id);
    app.clock.advance(2 * DAY);
    const expiry = licensesCapability.jobs?.find(({ name }) => name === 'license-expiry');
    await expiry?.run(app.ctx);
    expect((await restore(id)).changes).toEqual(restored);
    const told = async () => (await app.eventsOf(id)).map(({ type }) => type);
    const event = (await app.eventsOf(id)).find(({ type }) => type === 'LICENSE_RESTORED');
    expect(event?.data).toMatchObject({ details: { previousStatus: 'ACTIVE', status: 'EXPIRED' } });
    expect(await told()).not.toContain('LICENSE_EXPIRED');
    await expiry?.run(app.ctx);
    expect(await told()).toContain('LICENSE_EXPIRED');
    const body = { licenseKey, machineId: 'machine-0001' };
    expect((await app.post('/api/v1/license/validate', body, key)).body.code).toBe('EXPIRED');
  });
});

describe('purge', () => {
  it('deletes a license in the trash with everything that hangs on it; outside it is CONFLICT', async () => {
    const license = await activeLicense('machine-0001');
    await refused(() => licenses.purge(app.ctx, license.id), 'CONFLICT', { reason: 'NOT_IN_TRASH' });
    await trash(license.id);
    const other = await app.otherTenant();
    await refused(() => licenses.purge(other, license.id), 'NOT_FOUND');
    const { changes } = await app.changesBy(() => licenses.purge(app.ctx, license.id));
    expect(changes).toEqual({
      events: ['LICENSE_PURGED'],
      rows: { licenses: '-1', license_keys: '-1', license_activations: '-1' },
    });
    await refused(() => licenses.purge(app.ctx, license.id), 'NOT_FOUND');
    await refused(() => licenses.restore(app.ctx, license.id), 'NOT_FOUND');
    const timeline = await newestEvents(app.ctx, license.id, 100);
    expect(timeline.at(-1)).toMatchObject({ type: 'LICENSE_PURGED', at: app.ctx.now() });
  });

  it('is not for honeypots, which are no licenses (D131)', async () => {
    const { id: productId } = await app.product();
    const { honeypot } = await honeypots.create(app.ctx, { productId, label: 'leak' });
    for (const work of [licenses.trash, licenses.restore, licenses.purge])
      await refused(() => work(app.ctx, honeypot.id, null), 'NOT_FOUND');
  });

  it('by the job: after licensing.trash_days, to the second, in every tenant', async () => {
    const other = await app.otherTenant();
    const run = () => app.changesBy(async () => purgeJob?.run(app.ctx));
    app.clock.advance(31 * DAY);
    await run();
    const [own, foreign, kept] = [await app.license(), await app.license({}, other), await app.license()];
    await trash(own.id);
    await licenses.trash(other, foreign.id, null);
    app.clock.advance(1);
    await trash(kept.id);
    app.clock.advance(30 * DAY - 2);
    expect((await run()).changes).toEqual(nothing);
    app.clock.advance(1);
    const { result, changes } = await run();
    expect(result).toEqual({ purged: 2 });
    expect(changes).toEqual({
      events: ['LICENSE_PURGED', 'LICENSE_PURGED'],
      rows: { licenses: '-2', license_keys: '-2' },
    });
    expect((await restore(kept.id)).result).toBe(true);
    expect((await run()).changes).toEqual(nothing);
  });
});

it('the invariants of stored licenses hold afterwards', async () => {
  expect(await checkInvariants(app.ctx)).toMatchObject({ status: 'ok' });
});
