// Whoever waits for a lock must not go by what it knew before (C2, C3): another transaction changes it meanwhile.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineEvents, event } from '#kernel/events.ts';
import type { Trail } from '#kernel/origin.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { someoneWaits } from '../support/lock-wait.ts';
import { codeOf } from '../support/refusal.ts';

const missed = defineEvents('license', {
  HEARTBEAT_MISSED: event<{ details: { machineId: string; customerEmail: string } }>(),
});

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('a key that was replaced before opens nothing once a later replacement allows no overlap (D130)', async () => {
  const { id, key: first } = await app.license({ maxActivations: 5 });
  await licenses.replaceKey(app.ctx, id, { reason: 'moved', overlapSeconds: 600 });
  const late = await app.ctx.tx(async (ctx) => {
    await licenses.suspend(ctx, id, { reason: 'ADMIN', note: null });
    await licenses.reinstate(ctx, id);
    const late = codeOf(machines.activate(app.ctx, { licenseKey: first, machineId: 'machine-0001' }));
    await someoneWaits(app.instance.database);
    app.clock.advance(1);
    await licenses.replaceKey(ctx, id, { reason: 'leaked', deactivateAll: true });
    return { code: late };
  });
  expect(await late.code).toBe('NOT_FOUND');
  expect(await licenses.listActivations(app.ctx, id)).toEqual([]);
});

it('a change of a tenant does not reopen one that was suspended meanwhile (licensing 2.2)', async () => {
  const { id } = await tenants.create(app.ctx, { slug: 'meeting', name: 'Meeting' });
  const late = await app.ctx.tx(async (ctx) => {
    await tenants.suspend(ctx, id);
    const late = tenants.update(app.ctx, id, { name: 'Renamed' });
    await someoneWaits(app.instance.database);
    return { tenant: late };
  });
  expect(await late.tenant).toMatchObject({ name: 'Renamed', status: 'SUSPENDED' });
  expect(await tenants.get(app.ctx, id)).toMatchObject({ name: 'Renamed', status: 'SUSPENDED' });
});

it('erasing a customer cleans what a cull tells that had read the address before (D124)', async () => {
  const { id } = await app.license({ customerEmail: 'gone@x.test' });
  const late = await app.ctx.tx(async (ctx) => {
    await licenses.suspend(ctx, id, { reason: 'HEARTBEAT_MISSED', note: null });
    const late = customers.erase(app.ctx, 'gone@x.test');
    await someoneWaits(app.instance.database);
    const details = { machineId: 'machine-0001', customerEmail: 'gone@x.test' };
    await missed.tell(ctx, 'HEARTBEAT_MISSED', id, { details });
    return { report: late };
  });
  expect(await late.report).toMatchObject({ licenses: 1, events: 1 });
  expect(JSON.stringify(await app.eventsOf(id))).not.toContain('gone@x.test');
});

it('a merge of customers and a transfer of their licenses end one after the other (C9)', async () => {
  const [from, into] = [await app.license({ customerEmail: 'a@x.test' }), await app.license()];
  const target = (await licenses.get(app.ctx, into.id)).customer;
  const late = await app.ctx.tx(async (ctx) => {
    await licenses.update(ctx, from.id, { notes: 'held' });
    const late = licenses.mergeCustomers(app.ctx, 'a@x.test', target.id);
    await someoneWaits(app.instance.database);
    await licenses.transfer(ctx, from.id, { customerId: target.id });
    return { merge: late };
  });
  expect(await late.merge).toMatchObject({ licenses: 0 });
  expect((await licenses.get(app.ctx, from.id)).customer.id).toBe(target.id);
});

it('a repeated attempt leaves nothing of the one before in the trail of its request', async () => {
  const key = 'LATE-0000-1111-2222-3333';
  const trail: Trail = {};
  const origin = { requestId: null, ip: '192.0.2.1', userAgent: null, route: null, trail };
  const ctx = app.ctx.with({ origin });
  const attempt = () => machines.activate(ctx, { licenseKey: key, machineId: 'machine-0001' });
  expect(await codeOf(attempt())).toBe('NOT_FOUND');
  expect(trail).toMatchObject({ decision: { code: 'NOT_FOUND', denied: true } });
  const { id } = await app.license({ key });
  await attempt();
  expect(trail).toMatchObject({ subject: id, decision: { code: 'VALID', denied: false } });
  await licenses.trash(app.ctx, id, null);
  expect(await codeOf(attempt())).toBe('NOT_FOUND');
  expect([trail.subject, trail.owner]).toEqual([undefined, undefined]);
});

it('the seats that a deactivation counts are those of the moment it got the lock (C2, D75)', async () => {
  const { id, key: licenseKey } = await app.license({ type: 'FLOATING', maxActivations: 3 });
  await machines.activate(app.ctx, { licenseKey, machineId: 'machine-0001' });
  app.clock.advance(1);
  await machines.activate(app.ctx, { licenseKey, machineId: 'machine-0002' });
  app.clock.advance(3598);
  const late = await app.ctx.tx(async (ctx) => {
    await licenses.update(ctx, id, { notes: 'held' });
    const late = machines.deactivate(app.ctx, { licenseKey, machineId: 'machine-0002' });
    await someoneWaits(app.instance.database);
    app.clock.advance(1);
    return { done: late };
  });
  await late.done;
  const told = (await app.eventsOf(id)).find(({ type }) => type === 'SEAT_CHECKED_IN');
  expect(told?.data.details).toMatchObject({ machineId: 'machine-0002', seatsUsed: 0 });
});

it.each(['FLAG', 'ALLOW'] as const)(
  'a trial under BLOCK is refused for one that is activated at the same moment under %s (D70)',
  async (trialReuse) => {
    const product = await app.product();
    const trialUnder = async (rule: 'FLAG' | 'ALLOW' | 'BLOCK', customerEmail: string) => {
      const { id: policyId } = await app.policy({ trialReuse: rule });
      return app.license({ productId: product.id, policyId, type: 'TRIAL', customerEmail });
    };
    const machineId = 'machine-0001';
    const first = await trialUnder(trialReuse, 'one@x.test');
    const second = await trialUnder('BLOCK', 'two@x.test');
    const late = await app.ctx.tx(async (ctx) => {
      await machines.activate(ctx, { licenseKey: first.key, machineId });
      const late = codeOf(machines.activate(app.ctx, { licenseKey: second.key, machineId }));
      await Promise.race([someoneWaits(app.instance.database), late]);
      return { code: late };
    });
    expect(await late.code).toBe('ACTIVATION_FAILED');
    expect(await licenses.listActivations(app.ctx, second.id)).toEqual([]);
  },
);
