// The job that finds machines which missed their heartbeat: what each strategy does (D65, D66, D40).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as seats from '#licensing/licenses/seats/index.ts';
import type { TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { INTERVAL, machineId, none, openCulling } from './culling.ts';

type Culling = Awaited<ReturnType<typeof openCulling>>;

let app: TestApp;
let run: Culling['run'];
let watched: Culling['watched'];
let lapse: Culling['lapse'];
let beat: Culling['beat'];
let liveOf: Culling['liveOf'];
let endReasonsOf: Culling['endReasonsOf'];
let forget: Culling['forget'];
beforeAll(async () => {
  ({ app, run, watched, lapse, beat, liveOf, endReasonsOf, forget } = await openCulling());
});
afterAll(() => app.close());
beforeEach(() => forget());

const licenseRow = (id: string) => app.instance.database.db.knex('licenses').where({ id }).first();

/** What a webhook was told of a license since its machines were activated. */
const heardOf = (id: string) =>
  app.heard.filter((event) => event.subject === id && !/CREATED|LICENSE_ACTIVATED/.test(event.type));

describe('DEACTIVATE_DEAD', () => {
  it('frees the slot with HEARTBEAT_MISSED and no other event; neither before its time nor twice', async () => {
    const { id } = await watched('DEACTIVATE_DEAD');
    const lastSeenAt = app.ctx.now();
    lapse(INTERVAL);
    expect(await run()).toEqual({ result: none, changes: nothing });
    lapse(0.001);
    expect(await run()).toEqual({
      result: { ...none, deactivated: 1 },
      changes: { events: ['HEARTBEAT_MISSED'], rows: { license_activations: '~1' } },
    });
    expect(await endReasonsOf(id)).toEqual(['HEARTBEAT']);
    expect(heardOf(id).map(({ type, data }) => [type, data])).toEqual([
      [
        'HEARTBEAT_MISSED',
        {
          licenseId: id,
          licenseKeyPrefix: expect.any(String),
          customerId: (await licenseRow(id)).customer_id,
          status: 'ACTIVE',
          product: { name: expect.any(String), slug: expect.any(String) },
          machineIds: [],
          details: {
            machineId,
            machineName: 'Desk',
            lastSeenAt,
            metadata: null,
            strategy: 'DEACTIVATE_DEAD',
            customerEmail: 'ann@x.test',
          },
        },
      ],
    ]);
    expect(await run()).toEqual({ result: none, changes: nothing });
  });

  it('ends only the machines that were not seen, and tells of those that are left', async () => {
    const { id, key } = await watched('DEACTIVATE_DEAD', {}, ['machine-a1', 'machine-b1', 'machine-c1']);
    app.clock.advance(60);
    await beat(key, 'machine-b1');
    lapse(INTERVAL - 59);
    expect((await run()).result).toEqual({ ...none, deactivated: 2 });
    expect(await liveOf(id)).toEqual(['machine-b1']);
    expect(heardOf(id).map(({ data }) => data.machineIds)).toEqual([['machine-b1'], ['machine-b1']]);
  });

  it('a heartbeat in between wins, and so does a new activation of the machine', async () => {
    const { id, key } = await watched('DEACTIVATE_DEAD');
    lapse();
    await beat(key);
    expect(await run()).toEqual({ result: none, changes: nothing });
    lapse();
    await machines.deactivate(app.ctx, { licenseKey: key, machineId });
    await machines.activate(app.ctx, { licenseKey: key, machineId });
    expect(await run()).toEqual({ result: none, changes: nothing });
    expect(await liveOf(id)).toEqual([machineId]);
  });

  it('culls a live lease without SEAT_CHECKED_IN, and leaves one that ran out to its own job', async () => {
    const product = await app.product({ defaultLicenseType: 'FLOATING' });
    const { id } = await watched('DEACTIVATE_DEAD', { productId: product.id });
    lapse();
    expect((await run()).changes.events).toEqual(['HEARTBEAT_MISSED']);
    expect(await endReasonsOf(id)).toEqual(['HEARTBEAT']);
    const second = await watched('DEACTIVATE_DEAD', { productId: product.id });
    lapse(3600);
    expect(await run()).toEqual({ result: none, changes: nothing });
    expect(await endReasonsOf(second.id)).toEqual([null]);
  });

  it('culls many machines of one license, each once', async () => {
    const machines = Array.from({ length: 60 }, (_, index) => `machine-${1000 + index}`);
    const { id } = await watched('DEACTIVATE_DEAD', { maxActivations: 100 }, machines);
    lapse();
    const { result, changes } = await run();
    expect(result).toEqual({ ...none, deactivated: 60 });
    expect(changes).toEqual({
      events: machines.map(() => 'HEARTBEAT_MISSED'),
      rows: { license_activations: '~60' },
    });
    const told = heardOf(id).map(({ data }) => (data.details as { machineId: string }).machineId);
    expect(new Set(told)).toEqual(new Set(machines));
  });
});

describe('SUSPEND_LICENSE', () => {
  it('tells HEARTBEAT_MISSED of each stale machine, then LICENSE_SUSPENDED once; activations stay', async () => {
    const { id, key } = await watched('SUSPEND_LICENSE', {}, ['machine-a1']);
    app.clock.advance(1);
    await machines.activate(app.ctx, { licenseKey: key, machineId: 'machine-b1' });
    app.clock.advance(1);
    await machines.activate(app.ctx, { licenseKey: key, machineId: 'machine-c1' });
    lapse(INTERVAL - 0.5);
    const { result, changes } = await run();
    expect(result).toEqual({ ...none, suspended: 1 });
    expect(changes).toEqual({
      events: ['HEARTBEAT_MISSED', 'HEARTBEAT_MISSED', 'LICENSE_SUSPENDED'],
      rows: { licenses: '~1' },
    });
    const live = ['machine-a1', 'machine-b1', 'machine-c1'];
    const missed = (machine: string) =>
      expect.objectContaining({ machineId: machine, strategy: 'SUSPEND_LICENSE' });
    expect(heardOf(id).map(({ type, data }) => [type, data.status, data.machineIds, data.details])).toEqual([
      ['HEARTBEAT_MISSED', 'ACTIVE', live, missed('machine-a1')],
      ['HEARTBEAT_MISSED', 'ACTIVE', live, missed('machine-b1')],
      ['LICENSE_SUSPENDED', 'SUSPENDED', live, { reason: 'HEARTBEAT_MISSED', note: null }],
    ]);
    expect(await licenseRow(id)).toMatchObject({
      status: 'SUSPENDED',
      suspended_reason: 'HEARTBEAT_MISSED',
      suspended_at: app.ctx.now(),
    });
    expect(await liveOf(id)).toEqual(live);
    expect(await run()).toEqual({ result: none, changes: nothing });
  });

  it('tells of all stale machines of a license at once, also of more than a transaction is given', async () => {
    const machines = Array.from({ length: 30 }, (_, index) => `machine-${1000 + index}`);
    const { id } = await watched('SUSPEND_LICENSE', { maxActivations: 30 }, machines);
    lapse();
    const { result, changes } = await run();
    expect(result).toEqual({ ...none, suspended: 1 });
    expect(changes.events).toEqual([...machines.map(() => 'HEARTBEAT_MISSED'), 'LICENSE_SUSPENDED']);
    const told = heardOf(id).map(({ data }) => (data.details as { machineId?: string }).machineId);
    expect(told).toEqual([...machines, undefined]);
  });

  it('after reinstate a whole interval passes before it suspends again (D40)', async () => {
    const { id } = await watched('SUSPEND_LICENSE');
    lapse();
    await run();
    app.clock.advance(86_400);
    await licenses.reinstate(app.ctx, id);
    expect(await run()).toEqual({ result: none, changes: nothing });
    lapse(INTERVAL);
    expect(await run()).toEqual({ result: none, changes: nothing });
    lapse(0.001);
    expect((await run()).changes.events).toEqual(['HEARTBEAT_MISSED', 'LICENSE_SUSPENDED']);
  });
});

describe('NO_ACTION', () => {
  it('tells once per lapse, again only after a heartbeat and a new lapse', async () => {
    const { id, key } = await watched('NO_ACTION');
    const told = { events: ['HEARTBEAT_MISSED'], rows: { license_activations: '~1' } };
    lapse();
    expect(await run()).toEqual({ result: { ...none, notified: 1 }, changes: told });
    expect(heardOf(id)[0]?.data).toMatchObject({
      status: 'ACTIVE',
      machineIds: [machineId],
      details: { machineId, strategy: 'NO_ACTION', customerEmail: 'ann@x.test' },
    });
    lapse();
    expect(await run()).toEqual({ result: none, changes: nothing });
    await beat(key);
    expect(await run()).toEqual({ result: none, changes: nothing });
    lapse();
    expect((await run()).changes).toEqual(told);
    expect(await liveOf(id)).toEqual([machineId]);
  });

  it('a checkout and a reinstatement end a lapse as a heartbeat does (D65, D40)', async () => {
    const { id, key } = await watched('NO_ACTION', { type: 'FLOATING' });
    const signs = [
      () => seats.checkout(app.ctx, { licenseKey: key, machineId, leaseDuration: 86_400 }),
      async () => {
        await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
        await licenses.reinstate(app.ctx, id);
      },
    ];
    lapse();
    expect((await run()).result).toEqual({ ...none, notified: 1 });
    for (const sign of signs) {
      await sign();
      expect((await run()).result).toEqual(none);
      lapse();
      expect((await run()).result).toEqual({ ...none, notified: 1 });
      expect((await run()).result).toEqual(none);
    }
  });

  it('a policy that turns to DEACTIVATE_DEAD ends machines that were only told of before', async () => {
    const { id } = await watched('NO_ACTION');
    lapse();
    expect((await run()).result).toEqual({ ...none, notified: 1 });
    const policyId = String((await licenseRow(id)).policy_id);
    await policies.update(app.ctx, policyId, { heartbeatCullStrategy: 'DEACTIVATE_DEAD' });
    expect((await run()).result).toEqual({ ...none, deactivated: 1 });
  });
});
