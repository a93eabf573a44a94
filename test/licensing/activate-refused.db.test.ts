// POST /api/v1/license/activate: refusals by state and by slots (D34 to D36, D43, D44, D57, D58, D61).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';

const path = '/api/v1/license/activate';
const machineId = 'machine-0001';
const DAY = 86_400;

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

const post = (body: object) => app.changesBy(() => app.post(path, { machineId, ...body }, key));
const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const activated: Changes = { events: ['LICENSE_ACTIVATED'], rows: { license_activations: '+1' } };

/** Sends what must be refused with a code, and leaves nothing behind. */
async function refused(body: object, code: string, status = 400, left = nothing) {
  const { result, changes } = await post(body);
  expect([result.status, result.body.error?.code]).toEqual([status, code]);
  expect(changes).toEqual(left);
  return result.body.error as (typeof result.body)[string];
}

/** What a call leaves behind that was the first to lock the license after its date (D34). */
const persisted: Changes = { events: ['LICENSE_EXPIRED'], rows: { licenses: '~1' } };

describe('refusal by state', () => {
  const details = {
    reason: 'EXPIRED',
    status: 'EXPIRED',
    expiredAt: null,
    graceExpiresAt: null,
    current: 0,
    max: 1,
    oldestActivation: null,
  };

  it('expired: from its date on, before any job ran (D34)', async () => {
    const validUntil = inDays(1);
    const { key: licenseKey } = await app.license({ validUntil, maxActivations: 2 });
    app.clock.advance(DAY - 0.001);
    expect((await post({ licenseKey })).changes).toEqual(activated);
    app.clock.advance(0.001);
    const other = { licenseKey, machineId: 'machine-0002' };
    const error = await refused(other, 'ACTIVATION_FAILED', 400, persisted);
    expect(error).toEqual({
      code: 'ACTIVATION_FAILED',
      message: 'License has expired',
      details: { ...details, expiredAt: validUntil, current: 1, max: 2 },
    });
    // A machine that is active is refused as well: status is asked first (D57).
    await refused({ licenseKey }, 'ACTIVATION_FAILED');
  });

  it('in grace: refused, with the end of the grace (D36)', async () => {
    const validUntil = inDays(-1);
    const { key: licenseKey } = await app.license({ validUntil, gracePeriodSeconds: 2 * DAY });
    const error = await refused({ licenseKey }, 'ACTIVATION_FAILED', 400, persisted);
    expect(error.details).toEqual({ ...details, expiredAt: validUntil, graceExpiresAt: inDays(1) });
  });

  it('suspended, then reinstated', async () => {
    const { id, key: licenseKey } = await app.license();
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    const error = await refused({ licenseKey }, 'ACTIVATION_FAILED');
    expect([error.message, error.details]).toEqual([
      'License is suspended',
      { ...details, reason: 'SUSPENDED', status: 'SUSPENDED' },
    ]);
    await licenses.reinstate(app.ctx, id);
    expect((await post({ licenseKey })).changes).toEqual(activated);
  });

  it('revoked: also for a machine that was active', async () => {
    const { id, key: licenseKey } = await app.license();
    expect((await post({ licenseKey })).changes).toEqual(activated);
    await licenses.revoke(app.ctx, { licenseId: id }, null);
    const error = await refused({ licenseKey }, 'ACTIVATION_FAILED');
    expect([error.message, error.details]).toEqual([
      'License has been revoked',
      { ...details, reason: 'REVOKED', status: 'REVOKED' },
    ]);
  });

  it('in the trash: unknown', async () => {
    const { id, key: licenseKey } = await app.license();
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('licenses').where({ id }).update({ deleted_at: app.ctx.now() });
    });
    await refused({ licenseKey }, 'NOT_FOUND', 404);
  });
});

describe('slots', () => {
  it('exhausted: the documented text, the event, no other row (D58)', async () => {
    const { id, key: licenseKey } = await app.license({ maxActivations: 3 });
    const activatedAt = app.ctx.now();
    for (const machine of ['machine-a', 'machine-b', 'machine-c']) {
      await post({ licenseKey, machineId: machine, machineName: machine.toUpperCase() });
      app.clock.advance(1);
    }
    const { result, changes } = await post({ licenseKey, machineId: 'machine-d', machineName: 'D' });
    expect(result.status).toBe(400);
    expect(result.body.error).toEqual({
      code: 'ACTIVATION_FAILED',
      message: 'Maximum activations reached (3 of 3)',
      details: {
        reason: 'SEATS_EXHAUSTED',
        status: 'ACTIVE',
        expiredAt: null,
        graceExpiresAt: null,
        current: 3,
        max: 3,
        oldestActivation: { machineName: 'MACHINE-A', activatedAt, lastSeenAt: activatedAt },
      },
    });
    expect(changes).toEqual({ events: ['ACTIVATION_LIMIT_REACHED'], rows: {} });
    const event = (await app.eventsOf(id)).at(-1);
    expect(event?.data.details).toEqual({
      machineId: 'machine-d',
      machineName: 'D',
      activationsUsed: 3,
      maxActivations: 3,
    });
  });

  it('a freed slot is free for another machine', async () => {
    const { id, key: licenseKey } = await app.license();
    await post({ licenseKey });
    await machines.remove(app.ctx, id, machineId);
    expect((await post({ licenseKey, machineId: 'machine-0002' })).changes).toEqual(activated);
  });

  it('fewer than are in use: those stay, new ones are refused (D61)', async () => {
    const { id, key: licenseKey } = await app.license({ maxActivations: 2 });
    await post({ licenseKey, machineId: 'machine-a' });
    await post({ licenseKey, machineId: 'machine-b' });
    await app.instance.database.transaction(async ({ knex }) => {
      await knex('licenses').where({ id }).update({ max_activations: 1 });
    });
    expect((await post({ licenseKey, machineId: 'machine-b' })).result.status).toBe(200);
    const { result } = await post({ licenseKey, machineId: 'machine-c' });
    expect(result.body.error?.message).toBe('Maximum activations reached (2 of 1)');
  });

  it('products that are not sold any more and HONOR_SYSTEM change nothing (D43, D44)', async () => {
    const product = await app.product({ licensingMode: 'HONOR_SYSTEM', status: 'DISCONTINUED' });
    const { key: licenseKey } = await app.license({ productId: product.id, force: true });
    expect((await post({ licenseKey })).changes).toEqual(activated);
    expect((await post({ licenseKey, machineId: 'machine-0002' })).result.status).toBe(400);
  });
});
