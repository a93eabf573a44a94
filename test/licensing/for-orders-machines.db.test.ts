// Machines of a license as its customer sees and frees them, and offline tokens for them (licensing 2.12, 6.2; D37, D62,
// D63).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { issueFor } from '#licensing/licenses/offline-tokens/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { claimsIn } from '../support/offline-token.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { codeOf, refusalOf } from '../support/refusal.ts';

const DAY = 86_400;
let app: TestApp;
let apiKey: string;
let customer: Ctx;
beforeAll(async () => {
  app = await startApp({ listener: true });
  apiKey = (await app.apiKey('VALIDATE_ONLY')).secret;
  customer = app.ctx.with({ actor: { kind: 'customer', id: 'cus_ann', label: null } });
});
afterAll(() => app.close());

const inSeconds = (seconds: number) => new Date(app.clock.epochMs() + seconds * 1000).toISOString();
const call = (name: string, body: object) => app.post(`/api/v1/license/${name}`, body, apiKey);
const refused = async (work: () => Promise<unknown>): Promise<string> => {
  const { result, changes } = await app.changesBy(() => codeOf(work()));
  expect(changes).toEqual(nothing);
  return result;
};
const idOf = async (licenseId: string, n = 0) => (await machines.machinesOf(app.ctx, licenseId))[n]?.id ?? '';

describe('machinesOf', () => {
  it('lists live machines, the longest active first, with half of their ids at most', async () => {
    const { id, key } = await app.license({ maxActivations: 3 });
    const first = { machineName: 'Desk', osName: 'Linux', osVersion: '6.1' };
    await call('activate', { licenseKey: key, machineId: 'machine-0123456789', ...first });
    const activatedAt = app.ctx.now();
    app.clock.advance(60);
    await call('activate', { licenseKey: key, machineId: 'mach-b12' });
    await call('heartbeat', { licenseKey: key, machineId: 'machine-0123456789' });
    expect(await machines.machinesOf(app.ctx, id)).toEqual([
      {
        id: expect.stringMatching(/^act_/),
        machineName: 'Desk',
        machineIdMasked: 'mach…6789',
        os: 'Linux 6.1',
        activatedAt,
        lastSeenAt: app.ctx.now(),
      },
      {
        id: expect.stringMatching(/^act_/),
        machineName: null,
        machineIdMasked: 'ma…12',
        os: null,
        activatedAt: app.ctx.now(),
        lastSeenAt: app.ctx.now(),
      },
    ]);
    await call('deactivate', { licenseKey: key, machineId: 'mach-b12' });
    expect(await machines.machinesOf(app.ctx, id)).toHaveLength(1);
    expect(await machines.machinesOf(await app.otherTenant(), id)).toEqual([]);
  });
});

describe('releaseMachine', () => {
  it('frees a machine: LICENSE_DEACTIVATED with reason PORTAL, and the next validate knows', async () => {
    const { id, key } = await app.license({ maxActivations: 2 });
    for (const machineId of ['machine-a', 'machine-b'])
      await call('activate', { licenseKey: key, machineId });
    const validate = async () =>
      (await call('validate', { licenseKey: key, machineId: 'machine-a' })).body.code;
    expect(await validate()).toBe('VALID');
    const activationId = await idOf(id);
    const { result, changes } = await app.changesBy(() =>
      machines.releaseMachine(customer, id, activationId),
    );
    expect(result).toEqual({ activationsUsed: 1, maxActivations: 2 });
    expect(changes).toEqual({ events: ['LICENSE_DEACTIVATED'], rows: { license_activations: '~1' } });
    expect(app.heard.at(-1)?.data).toMatchObject({
      machineIds: ['machine-b'],
      details: { machineId: 'machine-a', reason: 'PORTAL' },
    });
    const row = await app.instance.database.db
      .knex('license_activations')
      .where({ id: activationId })
      .first('end_reason');
    expect(row.end_reason).toBe('PORTAL');
    expect(await validate()).toBe('NOT_ACTIVATED');
    const beat = await call('heartbeat', { licenseKey: key, machineId: 'machine-a' });
    expect(beat.body.error?.code).toBe('NOT_ACTIVATED');
    // The slot is free for another one.
    expect((await call('activate', { licenseKey: key, machineId: 'machine-c' })).status).toBe(200);
  });

  it('checks in the lease of a floating seat, in every status of the license, and counts as no churn', async () => {
    const policy = await app.policy({ maxDeactivations: 1, deactivationWindowDays: 30 });
    const { id, key } = await app.license({
      type: 'FLOATING',
      validUntil: null,
      maxActivations: 3,
      policyId: policy.id,
    });
    for (const machineId of ['machine-a', 'machine-b', 'machine-c'])
      await call('checkout', { key, machineId, leaseDuration: DAY });
    await licenses.suspend(app.ctx, id, { reason: 'DISPUTE', note: null });
    for (const left of [2, 1]) {
      const activationId = await idOf(id);
      const { result, changes } = await app.changesBy(() =>
        machines.releaseMachine(customer, id, activationId),
      );
      expect(result).toEqual({ activationsUsed: left, maxActivations: 3 });
      expect(changes.events).toEqual(['LICENSE_DEACTIVATED', 'SEAT_CHECKED_IN']);
    }
    expect((await call('deactivate', { licenseKey: key, machineId: 'machine-c' })).status).toBe(200);
  });

  it('does not know what is another license’s, has ended, ran out or never was', async () => {
    const [own, other] = [await app.license(), await app.license()];
    await call('activate', { licenseKey: own.key, machineId: 'machine-a' });
    const activationId = await idOf(own.id);
    const release = (licenseId: string, activation: string, ctx = customer) =>
      refused(() => machines.releaseMachine(ctx, licenseId, activation));
    expect(await release(other.id, activationId)).toBe('NOT_FOUND');
    expect(await release(own.id, 'act_unknown')).toBe('NOT_FOUND');
    expect(await release(own.id, activationId, await app.otherTenant())).toBe('NOT_FOUND');
    await machines.releaseMachine(customer, own.id, activationId);
    await call('activate', { licenseKey: own.key, machineId: 'machine-a' });
    expect(await release(own.id, activationId)).toBe('NOT_FOUND');
    const floating = await app.license({ type: 'FLOATING', validUntil: null });
    await call('checkout', { key: floating.key, machineId: 'machine-a', leaseDuration: 60 });
    const lease = await idOf(floating.id);
    app.clock.advance(60);
    expect(await release(floating.id, lease)).toBe('NOT_FOUND');
  });

  it('20 at once free it once', async () => {
    const { id, key } = await app.license();
    await call('activate', { licenseKey: key, machineId: 'machine-a' });
    const activationId = await idOf(id);
    const { result, changes } = await app.changesBy(() =>
      Promise.allSettled(
        Array.from({ length: 20 }, () => machines.releaseMachine(customer, id, activationId)),
      ),
    );
    expect(result.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(changes).toEqual({ events: ['LICENSE_DEACTIVATED'], rows: { license_activations: '~1' } });
  });
});

describe('issueFor', () => {
  it('gives a machine its token, by its id or its activation, and keeps a record of who asked', async () => {
    const product = await app.product();
    await delegatedProduct(app.ctx, product);
    const { id, key } = await app.license({ productId: product.id, validUntil: inSeconds(10 * DAY) });
    await call('activate', { licenseKey: key, machineId: 'machine-a' });
    for (const machine of [{ machineId: 'machine-a' }, { activationId: await idOf(id) }]) {
      const { result, changes } = await app.changesBy(() => issueFor(customer, id, machine, 20 * DAY));
      // As the public endpoint: not beyond the end of the license.
      expect(result.expiresAt).toBe(inSeconds(10 * DAY));
      expect(claimsIn(result.token.split(/[/.]/)[1] ?? '')).toMatchObject({ lid: id });
      expect(changes).toEqual({ events: [], rows: { license_offline_tokens: '+1' } });
    }
    const tokens = await app.instance.database.db.knex('license_offline_tokens').where({ license_id: id });
    expect(new Set(tokens.map((row) => row.issued_by))).toEqual(new Set(['customer:cus_ann']));
  });

  it('refuses as the public endpoint does', async () => {
    const product = await app.product();
    const { id, key } = await app.license({ productId: product.id });
    const issue = (machine: Parameters<typeof issueFor>[2], ttl = DAY) =>
      issueFor(customer, id, machine, ttl);
    const machine = { machineId: 'machine-a' };
    expect(await refused(() => issue(machine))).toBe('NOT_ACTIVATED');
    expect(await refused(() => issue({ activationId: 'act_unknown' }))).toBe('NOT_FOUND');
    await call('activate', { licenseKey: key, ...machine });
    const { code, message } = await refusalOf(issue(machine));
    expect([code, message]).toEqual(['NOT_FOUND', 'Offline tokens are not offered']);
    await delegatedProduct(app.ctx, product);
    expect(await refused(() => issue(machine, 60))).toBe('VALIDATION_ERROR');
    await licenses.suspend(app.ctx, id, { reason: 'REFUND', note: null });
    expect(await refused(() => issue(machine))).toBe('LICENSE_SUSPENDED');
    expect(await refused(() => issueFor(customer, 'lic_unknown', machine, DAY))).toBe('NOT_FOUND');
  });
});
