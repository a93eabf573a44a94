// activate on FLOATING and TRIAL licenses: leases and repeated trials (D59, D62, D70, D73 to D75).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

const DAY = 86_400;
let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

const inSeconds = (seconds: number) => new Date(app.clock.epochMs() + seconds * 1000).toISOString();
const call = (name: string, licenseKey: string, machineId: string) =>
  app.changesBy(() => app.post(`/api/v1/license/${name}`, { licenseKey, machineId }, key));
const floating = async (maxActivations: number, policyId?: string, validUntil: string | null = null) =>
  app.license({ type: 'FLOATING', maxActivations, validUntil, ...(policyId !== undefined && { policyId }) });

describe('FLOATING', () => {
  it('is checked out with the default lease, and both events are told', async () => {
    const { id, key: licenseKey } = await floating(2);
    const { result, changes } = await call('activate', licenseKey, 'machine-a');
    const leaseExpiresAt = inSeconds(3600);
    expect(result.body.activation).toEqual({
      id: expect.stringMatching(/^act_/),
      machineId: 'machine-a',
      machineName: null,
      activatedAt: app.ctx.now(),
      leaseExpiresAt,
    });
    expect(changes).toEqual({
      events: ['LICENSE_ACTIVATED', 'SEAT_CHECKED_OUT'],
      rows: { license_activations: '+1' },
    });
    const event = (await app.eventsOf(id)).find(({ type }) => type === 'SEAT_CHECKED_OUT');
    expect(event?.data.details).toMatchObject({
      machineId: 'machine-a',
      leaseExpiresAt,
      seatsUsed: 1,
      seatsTotal: 2,
    });
    const validated = await call('validate', licenseKey, 'machine-a');
    expect(validated.result.body.floating).toEqual({
      seatsUsed: 1,
      seatsTotal: 2,
      seatsAvailable: 1,
      leaseExpiresAt,
    });
    const elsewhere = await call('validate', licenseKey, 'machine-b');
    expect(elsewhere.result.body).toMatchObject({
      code: 'NOT_ACTIVATED',
      floating: { leaseExpiresAt: null },
    });
  });

  it('takes the lease of its policy and never runs beyond the license and its grace (D73, D74)', async () => {
    const policy = await app.policy({ defaultLeaseDuration: 2 * DAY, gracePeriodSeconds: 60 });
    const short = await floating(1, policy.id, inSeconds(DAY));
    const long = await floating(1, policy.id, inSeconds(9 * DAY));
    const end = async (licenseKey: string) =>
      (await call('activate', licenseKey, 'machine-a')).result.body.activation?.leaseExpiresAt;
    expect(await end(short.key)).toBe(inSeconds(DAY + 60));
    expect(await end(long.key)).toBe(inSeconds(2 * DAY));
  });

  it('a repeat does not extend the lease', async () => {
    const { key: licenseKey } = await floating(1);
    const first = (await call('activate', licenseKey, 'machine-a')).result.body;
    app.clock.advance(3599);
    const { result, changes } = await call('activate', licenseKey, 'machine-a');
    expect(result.body).toEqual(first);
    expect(changes).toEqual({ events: [], rows: {} });
  });

  it('exhausted answers as for any license, until a lease runs out and is swept', async () => {
    const { key: licenseKey } = await floating(1);
    await call('activate', licenseKey, 'machine-a');
    const full = await call('activate', licenseKey, 'machine-b');
    expect(full.result.body.error).toMatchObject({
      code: 'ACTIVATION_FAILED',
      message: 'Maximum activations reached (1 of 1)',
    });
    expect(full.changes).toEqual({ events: ['ACTIVATION_LIMIT_REACHED'], rows: {} });
    app.clock.advance(3600);
    expect((await call('validate', licenseKey, 'machine-a')).result.body).toMatchObject({
      valid: false,
      code: 'NOT_ACTIVATED',
      activation: null,
      floating: { seatsUsed: 0, leaseExpiresAt: null },
    });
    const next = await call('activate', licenseKey, 'machine-b');
    expect(next.changes).toEqual({
      events: ['LEASE_EXPIRED', 'LICENSE_ACTIVATED', 'SEAT_CHECKED_OUT'],
      rows: { license_activations: '+1 ~1' },
    });
  });

  it('the same machine takes a new lease after its old one ran out', async () => {
    const { key: licenseKey } = await floating(1);
    const first = (await call('activate', licenseKey, 'machine-a')).result.body.activation?.id;
    app.clock.advance(3600);
    const { result, changes } = await call('activate', licenseKey, 'machine-a');
    expect(result.body.activation?.id).not.toBe(first);
    expect(changes.events).toEqual(['LEASE_EXPIRED', 'LICENSE_ACTIVATED', 'SEAT_CHECKED_OUT']);
  });

  it('deactivate ends a live lease, and not one that ran out (D62, D75)', async () => {
    const { key: licenseKey } = await floating(1);
    await call('activate', licenseKey, 'machine-a');
    const ended = await call('deactivate', licenseKey, 'machine-a');
    expect(ended.changes).toEqual({
      events: ['LICENSE_DEACTIVATED', 'SEAT_CHECKED_IN'],
      rows: { license_activations: '~1' },
    });
    await call('activate', licenseKey, 'machine-a');
    app.clock.advance(3600);
    const late = await call('deactivate', licenseKey, 'machine-a');
    expect(late.result.body.error?.code).toBe('DEACTIVATION_FAILED');
    expect(late.changes).toEqual({ events: [], rows: {} });
  });
});

describe('TRIAL (D70)', () => {
  const trials = async (trialReuse: 'ALLOW' | 'FLAG' | 'BLOCK') => {
    const policy = await app.policy({ trialReuse });
    const product = await app.product({ policyId: policy.id });
    const license = (customerEmail: string) =>
      app.license({ productId: product.id, type: 'TRIAL', customerEmail, maxActivations: 2 });
    return {
      product,
      first: await license('a@x.test'),
      again: await license('b@x.test'),
      same: await license('a@x.test'),
    };
  };
  const activated = {
    events: ['LICENSE_ACTIVATED'],
    rows: { license_activations: '+1', license_trial_uses: '+2' },
  };

  it('BLOCK refuses a machine and a customer that were seen on another trial of the product', async () => {
    const { first, again, same } = await trials('BLOCK');
    expect((await call('activate', first.key, 'machine-a')).changes).toEqual(activated);
    const machine = await call('activate', again.key, 'machine-a');
    expect(machine.result.body.error).toMatchObject({
      code: 'ACTIVATION_FAILED',
      message: 'A trial of this product has already been used',
      details: { reason: 'TRIAL_REUSE', status: 'ACTIVE', current: 0, max: 2 },
    });
    expect(machine.changes).toEqual({ events: [], rows: {} });
    const customer = await call('activate', same.key, 'machine-c');
    expect(customer.result.body.error?.details).toMatchObject({ reason: 'TRIAL_REUSE' });
    // The trial itself goes on, on this machine and on another one.
    expect((await call('activate', first.key, 'machine-a')).result.status).toBe(200);
    expect((await call('activate', first.key, 'machine-b')).result.status).toBe(200);
    expect((await call('activate', again.key, 'machine-d')).changes).toEqual(activated);
  });

  it('a trial of another product, and a bought license, are not refused', async () => {
    const [one, other] = [await trials('BLOCK'), await trials('BLOCK')];
    await call('activate', one.first.key, 'machine-a');
    expect((await call('activate', other.again.key, 'machine-a')).result.status).toBe(200);
    const bought = await app.license({ productId: one.product.id, customerEmail: 'a@x.test' });
    expect((await call('activate', bought.key, 'machine-a')).result.status).toBe(200);
  });

  it.each(['FLAG', 'ALLOW'] as const)('%s lets it pass', async (rule) => {
    const { first, again } = await trials(rule);
    await call('activate', first.key, 'machine-a');
    expect((await call('activate', again.key, 'machine-a')).result.status).toBe(200);
  });

  it('names nobody in its table', async () => {
    const rows = await app.instance.database.db.knex('license_trial_uses').select('subject');
    expect(JSON.stringify(rows)).not.toMatch(/machine-|x\.test|cus_/);
  });
});
