// The job that finds machines which missed their heartbeat: whom it judges, and by which policy (D34, D64, D65; C12).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import type { TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { INTERVAL, MINUTES, machineId, none, openCulling } from './culling.ts';

type Culling = Awaited<ReturnType<typeof openCulling>>;

let app: TestApp;
let cull: Culling['cull'];
let run: Culling['run'];
let watching: Culling['watching'];
let watched: Culling['watched'];
let lapse: Culling['lapse'];
let liveOf: Culling['liveOf'];
let forget: Culling['forget'];
beforeAll(async () => {
  ({ app, cull, run, watching, watched, lapse, liveOf, forget } = await openCulling());
});
afterAll(() => app.close());
beforeEach(() => forget());

describe('whom it leaves alone', () => {
  it('the policy of the license goes before that of its product, and is taken whole (D64)', async () => {
    const strict = await watching('DEACTIVATE_DEAD');
    const silent = await app.policy({ heartbeatCullStrategy: 'SUSPEND_LICENSE' });
    const product = await app.product({ policyId: strict.id });
    const byProduct = await app.license({ productId: product.id });
    const byLicense = await app.license({ productId: product.id, policyId: silent.id });
    for (const { key } of [byProduct, byLicense]) {
      await machines.activate(app.ctx, { licenseKey: key, machineId });
    }
    lapse();
    expect((await run()).result).toEqual({ ...none, deactivated: 1 });
    expect([await liveOf(byProduct.id), await liveOf(byLicense.id)]).toEqual([[], [machineId]]);
  });

  it('an interval of another policy does not count', async () => {
    const slow = await app.policy({ heartbeatInterval: 60, heartbeatCullStrategy: 'DEACTIVATE_DEAD' });
    const { id, key } = await app.license({ policyId: slow.id });
    await machines.activate(app.ctx, { licenseKey: key, machineId });
    lapse(3600);
    expect(await run()).toEqual({ result: none, changes: nothing });
    lapse(0.001);
    expect((await run()).result).toEqual({ ...none, deactivated: 1 });
    expect(await liveOf(id)).toEqual([]);
  });

  it('licenses that are expired (grace too), suspended, revoked or in the trash', async () => {
    const validUntil = new Date(app.clock.epochMs() + INTERVAL * 1000).toISOString();
    const expired = await watched('DEACTIVATE_DEAD', { validUntil });
    const graced = await watched('SUSPEND_LICENSE', { validUntil, gracePeriodSeconds: 86_400 });
    const suspended = await watched('DEACTIVATE_DEAD');
    await licenses.suspend(app.ctx, suspended.id, { reason: 'ADMIN', note: null });
    const revoked = await watched('DEACTIVATE_DEAD');
    await licenses.revoke(app.ctx, { licenseId: revoked.id }, null);
    const trashed = await watched('DEACTIVATE_DEAD');
    await app.instance.database.transaction(({ knex }) =>
      knex('licenses').where({ id: trashed.id }).update({ deleted_at: app.ctx.now() }),
    );
    lapse();
    expect(await run()).toEqual({ result: none, changes: nothing });
    for (const { id } of [expired, graced, suspended, trashed]) expect(await liveOf(id)).toEqual([machineId]);
    // Renewed, it is ACTIVE again. Its machine, whose heartbeats were refused, gets a whole interval.
    await licenses.renew(app.ctx, { licenseId: expired.id }, '2099-01-01T00:00:00.000Z');
    lapse(INTERVAL);
    expect(await run()).toEqual({ result: none, changes: nothing });
    lapse(0.001);
    expect((await run()).result).toEqual({ ...none, deactivated: 1 });
  });
});

it('serves every tenant, each event in its own', async () => {
  const other = await app.otherTenant();
  const policy = await policies.create(other, {
    name: 'Other',
    heartbeatInterval: MINUTES,
    heartbeatCullStrategy: 'DEACTIVATE_DEAD',
  });
  const product = await app.product({ policyId: policy.id }, other);
  const { id, key } = await app.license({ productId: product.id }, other);
  await machines.activate(other, { licenseKey: key, machineId });
  lapse();
  expect((await run()).result).toEqual({ ...none, deactivated: 1 });
  const told = app.heard.filter((event) => event.subject === id).at(-1);
  expect([told?.type, told?.tenantId]).toEqual(['HEARTBEAT_MISSED', other.tenantId]);
});

it('walks past any number of machines that it leaves alone, also when all were seen at one time', async () => {
  const { id: crowdId, key } = await app.license({ maxActivations: 1000 });
  await machines.activate(app.ctx, { licenseKey: key, machineId });
  const { database } = app.instance;
  const row = await database.db.knex('license_activations').where({ license_id: crowdId }).first();
  const crowd = Array.from({ length: 1100 }, (_, index) => ({
    ...row,
    id: app.ctx.newId('act'),
    machine_id: `machine-${1000 + index}`,
  }));
  await database.transaction(async ({ knex }) => {
    for (let i = 0; i < crowd.length; i += 100) {
      await knex('license_activations').insert(crowd.slice(i, i + 100));
    }
  });
  const { id } = await watched('DEACTIVATE_DEAD');
  lapse();
  expect((await run()).result).toEqual({ ...none, deactivated: 1 });
  expect([await liveOf(id), (await liveOf(crowdId)).length]).toEqual([[], 1101]);
});

it('run by three processes at once, each machine is culled once', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => watched('DEACTIVATE_DEAD')));
  lapse();
  const { result, changes } = await app.changesBy(() => Promise.all([1, 2, 3].map(() => cull())));
  expect(result.reduce((sum, one) => sum + (one?.deactivated ?? 0), 0)).toBe(made.length);
  expect(changes).toEqual({
    events: made.map(() => 'HEARTBEAT_MISSED'),
    rows: { license_activations: `~${made.length}` },
  });
});
