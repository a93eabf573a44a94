// POST /api/v1/license/activate: the spec's field, state and error tables and refusals by state and by slots
// (D12, D13, D26, D34 to D36, D43, D44, D57, D58, D60, D61).

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

describe('success', () => {
  it('answers with the license and the activation, and tells the event', async () => {
    const product = await app.product({ name: 'Photo' });
    const policy = await app.policy({ entitlements: { sso: false, seats: 5 } });
    const { id, key: licenseKey } = await app.license({
      productId: product.id,
      policyId: policy.id,
      features: { sso: true },
      maxActivations: 2,
      tier: 'BUSINESS',
      validUntil: inDays(1),
    });
    const machine = { machineName: 'Ann’s desk', osName: 'Linux', osVersion: '6.1', appVersion: '2.0' };
    const { result, changes } = await post({ licenseKey, ...machine });
    expect(result.status).toBe(200);
    expect(result.body).toEqual({
      success: true,
      message: 'License activated',
      license: {
        key: licenseKey,
        product: 'Photo',
        tier: 'BUSINESS',
        type: 'PERPETUAL',
        validUntil: inDays(1),
        activationsUsed: 1,
        maxActivations: 2,
        features: { sso: true, seats: 5 },
      },
      activation: { machineId, machineName: 'Ann’s desk', activatedAt: app.ctx.now() },
    });
    expect(changes).toEqual(activated);
    const [event] = (await app.eventsOf(id)).filter(({ type }) => type === 'LICENSE_ACTIVATED');
    expect(event?.data).toMatchObject({
      licenseId: id,
      licenseKeyPrefix: licenseKey.slice(0, 8),
      status: 'ACTIVE',
      product: { name: 'Photo', slug: product.slug },
      details: { machineId, machineName: 'Ann’s desk' },
    });
    expect(JSON.stringify(event)).not.toContain(licenseKey);
    expect(JSON.stringify(event)).not.toContain('@');
  });

  it('without a name shows null, without features null (D26, D28)', async () => {
    const { key: licenseKey } = await app.license();
    const { result } = await post({ licenseKey });
    expect(result.body.activation?.machineName).toBeNull();
    expect(result.body.license?.features).toBeNull();
  });

  it('of the same machine again gives the stored activation and changes nothing (D57)', async () => {
    const { key: licenseKey } = await app.license();
    const first = (await post({ licenseKey, machineName: 'first' })).result;
    app.clock.advance(60);
    const { result, changes } = await post({ licenseKey, machineName: 'second', appVersion: '9' });
    expect(result.body).toEqual(first.body);
    expect(changes).toEqual(nothing);
  });

  it('two machine ids that differ in case are two machines', async () => {
    const { key: licenseKey } = await app.license({ maxActivations: 2 });
    expect((await post({ licenseKey, machineId: 'MACHINE-A' })).changes).toEqual(activated);
    const { result, changes } = await post({ licenseKey, machineId: 'machine-a' });
    expect(changes).toEqual(activated);
    expect(result.body.license?.activationsUsed).toBe(2);
  });

  it('above maxVersion is activated and told (D60)', async () => {
    const { key: licenseKey } = await app.license({ maxVersion: '2', maxActivations: 9 });
    const allowed = async (appVersion?: string, machine = `machine-${appVersion}`) =>
      (await post({ licenseKey, machineId: machine, appVersion })).result.body.versionAllowed;
    expect(await allowed('2.99.99')).toBe(true);
    expect(await allowed('v2.4')).toBe(true);
    expect(await allowed('3.0.0')).toBe(false);
    expect(await allowed('unknown')).toBe(false);
    expect(await allowed(undefined, 'machine-none')).toBeUndefined();
  });

  it('gives the nonce back', async () => {
    const { key: licenseKey } = await app.license();
    expect((await post({ licenseKey, nonce: 'abcdefghijklmnop' })).result.body.nonce).toBe(
      'abcdefghijklmnop',
    );
  });
});

describe('the key', () => {
  it.each([
    ['lower case', (text: string) => text.toLowerCase()],
    ['with outer spaces', (text: string) => `  ${text}\t`],
    [
      'with letters for digits',
      (text: string) => text.slice(0, 4) + text.slice(4).replaceAll('0', 'O').replaceAll('1', 'l'),
    ],
  ])('is found %s (D11)', async (_what, typed) => {
    const own = `APP-${['0101', '7F3K', '1100', `A${app.ctx.newId('tst').slice(-3)}`].join('-')}`;
    const { key: licenseKey } = await app.license({ key: own });
    const { result, changes } = await post({ licenseKey: typed(licenseKey) });
    expect(result.body.license?.key).toBe(licenseKey);
    expect(changes).toEqual(activated);
  });

  it('with a character that no key has is INVALID_KEY (D12)', async () => {
    for (const licenseKey of [
      'APP 7F3K 9QRS',
      'APP–7F3K–9QRS',
      'APP_7F3K_9QRS',
      "' OR '1'='1",
      'APP-ÄÄÄÄ-9QRS',
    ])
      await refused({ licenseKey }, 'INVALID_KEY');
  });

  it('that nobody has is NOT_FOUND, without details (D13)', async () => {
    const error = await refused({ licenseKey: 'APP-0000-0000-0000-0000' }, 'NOT_FOUND', 404);
    expect(error.details).toBeUndefined();
  });

  it('may be named key, and both names must agree (D7)', async () => {
    const { key: own } = await app.license();
    expect((await post({ key: own })).changes).toEqual(activated);
    expect((await post({ key: own, licenseKey: own.toLowerCase() })).result.status).toBe(200);
    await refused({ key: own, licenseKey: 'APP-0000-0000-0000-0000' }, 'VALIDATION_ERROR');
  });
});

describe('bounds', () => {
  const long = (length: number) => 'x'.repeat(length);
  const accented = (length: number) => '\u{1F600}'.repeat(length);

  it.each([
    ['machineId', 8, 255],
    ['machineName', 0, 255],
    ['osName', 0, 100],
    ['osVersion', 0, 100],
    ['appVersion', 0, 50],
  ])('%s: %i to %i characters, counted in code points (D10)', async (field, min, max) => {
    const { key: licenseKey } = await app.license({ maxActivations: 9 });
    const withField = (text: string) => ({ licenseKey, machineId: `${field}-${text.length}`, [field]: text });
    for (const text of [long(min), long(max), accented(max)]) {
      const { result, changes } = await post(withField(text));
      expect([result.status, changes]).toEqual([
        200,
        expect.objectContaining({ events: ['LICENSE_ACTIVATED'] }),
      ]);
    }
    await refused(withField(long(max + 1)), 'VALIDATION_ERROR');
    await refused(withField(accented(max + 1)), 'VALIDATION_ERROR');
    if (min > 0) await refused(withField(long(min - 1)), 'VALIDATION_ERROR');
  });

  it('licenseKey: 10 to 100 characters', async () => {
    await refused({ licenseKey: long(9) }, 'VALIDATION_ERROR');
    await refused({ licenseKey: long(10) }, 'NOT_FOUND', 404);
    await refused({ licenseKey: long(100) }, 'NOT_FOUND', 404);
    await refused({ licenseKey: long(101) }, 'VALIDATION_ERROR');
    for (const licenseKey of [5, null, true, [], {}, '']) await refused({ licenseKey }, 'VALIDATION_ERROR');
  });

  it('every faulty field is told, and no value of it (6.6)', async () => {
    const error = await refused({ licenseKey: 'short', machineId: 5, osName: long(101) }, 'VALIDATION_ERROR');
    expect(error.details?.issues).toMatchObject([
      { path: 'licenseKey', rule: 'too_small' },
      { path: 'machineId', rule: 'invalid_type' },
      { path: 'osName', rule: 'too_big' },
    ]);
    expect(JSON.stringify(error)).not.toContain('short"');
  });
});

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
