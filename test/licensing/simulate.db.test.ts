// The policy simulator (licensing 6.5): any moment, any machine, any change; and nothing is ever written.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { impact } from '#licensing/insight/policies/index.ts';
import { type SimulationInput, simulate } from '#licensing/insight/simulator/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { codeOf, faultsOf } from '../support/refusal.ts';
import { published, signedProduct } from './release-fixture.ts';

const DAY = 86_400;
const machineId = 'machine-0001';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({ listener: true });
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const send = (action: string, body: object) => app.post(`/api/v1/license/${action}`, body, key);

/** Simulates, and holds it to its promise: no row, no event, nobody told. */
async function ask(input: SimulationInput) {
  const heard = app.heard.length;
  const { result, changes } = await app.changesBy(() => simulate(app.ctx, input));
  expect(changes).toEqual(nothing);
  expect(app.heard.length).toBe(heard);
  return result;
}

const codeFor = async (input: SimulationInput) => (await ask(input)).decision.code;

describe('simulate', () => {
  it('answers for any moment: before the end, in grace, after it', async () => {
    const policy = await app.policy({ gracePeriodSeconds: DAY });
    const { id, key: licenseKey } = await app.license({ validUntil: inDays(1), policyId: policy.id });
    await send('activate', { licenseKey, machineId });
    const at = async (moment: string) => {
      const { decision, answer, evaluatedAt } = await ask({
        licenseId: id,
        action: 'validate',
        machineId,
        at: moment,
      });
      expect(evaluatedAt).toBe(moment);
      expect(answer.httpStatus).toBe(200);
      return [decision.code, answer.body.valid, answer.body.graceExpiresAt];
    };
    expect(await at(inDays(0.5))).toEqual(['VALID', true, undefined]);
    expect(await at(inDays(1))).toEqual(['GRACE', true, inDays(2)]);
    expect(await at(inDays(2))).toEqual(['EXPIRED', false, undefined]);
  });

  it('reads an RFC 3339 moment with an offset, and counts the leases of that moment', async () => {
    const { id, key: licenseKey } = await app.license({ type: 'FLOATING', maxActivations: 1 });
    await send('checkout', { licenseKey, machineId: 'machine-0002', leaseDuration: 3600 });
    expect(await codeFor({ licenseId: id, action: 'checkout', machineId })).toBe('SEATS_EXHAUSTED');
    const later = await ask({
      licenseId: id,
      action: 'checkout',
      machineId,
      at: '2026-03-02T14:00:00+01:00',
      leaseDuration: 60,
    });
    expect([later.decision.code, later.evaluatedAt]).toEqual(['VALID', '2026-03-02T13:00:00.000Z']);
    expect(later.answer).toEqual({
      httpStatus: 200,
      body: {
        success: true,
        message: 'Seat checked out',
        activation: { leaseExpiresAt: '2026-03-02T13:01:00.000Z' },
      },
    });
  });

  it('makes changes of the license for this one question', async () => {
    const { id } = await app.license({ maxUses: 1 });
    const usage = { licenseId: id, action: 'record-usage', quantity: 2 } as const;
    expect(await codeFor(usage)).toBe('USAGE_EXCEEDED');
    expect(await codeFor({ ...usage, changes: { license: { maxUses: null } } })).toBe('VALID');
    const raised = await ask({ ...usage, changes: { license: { maxUses: 10, currentUses: 5 } } });
    expect(raised.answer.body.usage).toEqual({ current: 7, max: 10, remaining: 3, percentUsed: 70 });
    const suspended = await ask({
      licenseId: id,
      action: 'heartbeat',
      changes: { license: { status: 'SUSPENDED' } },
    });
    expect(suspended.decision.details).toMatchObject({ status: 'SUSPENDED', since: app.ctx.now() });
    expect((await ask(usage)).decision.code).toBe('USAGE_EXCEEDED');
  });

  it('makes changes of the policy, whose it may be, and tells whose it is', async () => {
    const policy = await app.policy({ maxUses: 1 });
    const product = await app.product({ policyId: policy.id });
    const { id } = await app.license({ productId: product.id });
    const usage = { licenseId: id, action: 'record-usage', quantity: 2 } as const;
    expect(await ask(usage)).toMatchObject({
      decision: { code: 'USAGE_EXCEEDED' },
      policySource: 'product',
    });
    expect(await codeFor({ ...usage, changes: { policy: { maxUses: 2 } } })).toBe('VALID');
    const other = await app.policy({ maxUses: 5 });
    const attached = await ask({ ...usage, changes: { license: { policyId: other.id } } });
    expect(attached).toMatchObject({ decision: { code: 'VALID' }, policySource: 'license' });
    const plain = await app.license();
    const bare = await ask({ licenseId: plain.id, action: 'heartbeat' });
    expect(bare.policySource).toBe('none');
    const alone = await ask({ ...usage, licenseId: plain.id, changes: { policy: { maxUses: 1 } } });
    expect(alone).toMatchObject({ decision: { code: 'USAGE_EXCEEDED' }, policySource: 'none' });
  });

  it('judges a license that does not exist, under the policy of its product', async () => {
    const policy = await app.policy({ entitlements: { export: true }, heartbeatInterval: 10 });
    const product = await app.product({ policyId: policy.id, defaultMaxActivations: 2 });
    const draft = { productId: product.slug, type: 'SUBSCRIPTION', tier: 'BUSINESS' } as const;
    const entitled = await ask({ draft, action: 'validate-entitlement', entitlement: 'export' });
    expect(entitled.answer.body).toEqual({ success: true, valid: true, entitled: true, value: true });
    expect(entitled.policySource).toBe('product');
    const activated = await ask({ draft, action: 'activate', machineId });
    expect(activated.decision).toMatchObject({ allowed: true, trace: expect.any(Array) });
    const full = { draft: { ...draft, type: 'FLOATING', maxActivations: 1 }, action: 'checkout' } as const;
    expect(await codeFor(full)).toBe('VALID');
    const ended = await ask({ draft: { ...draft, validUntil: inDays(-1) }, action: 'activate', machineId });
    expect(ended.answer).toMatchObject({ httpStatus: 400, body: { error: { code: 'ACTIVATION_FAILED' } } });
  });

  it('knows of trials and of churn', async () => {
    const policy = await app.policy({
      trialReuse: 'BLOCK',
      maxDeactivations: 1,
      deactivationWindowDays: 2,
    });
    const { id: productId } = await app.product({ policyId: policy.id });
    const trial = { productId, type: 'TRIAL', validUntil: inDays(9) } as const;
    const [first, second] = [await app.license(trial), await app.license(trial)];
    const machine = { licenseKey: first.key, machineId };
    await send('activate', machine);
    const reuse = { licenseId: second.id, action: 'activate', machineId } as const;
    expect(await codeFor(reuse)).toBe('TRIAL_REUSE');
    expect(await codeFor({ ...reuse, changes: { policy: { trialReuse: 'ALLOW' } } })).toBe('VALID');
    await send('deactivate', machine);
    await send('activate', machine);
    const leave = { licenseId: first.id, action: 'deactivate', machineId } as const;
    expect(await codeFor(leave)).toBe('CHURN_LIMIT');
    expect(await codeFor({ ...leave, at: inDays(3) })).toBe('VALID');
  });

  it.each([
    ['renew', { validUntil: '2030-01-01T00:00:00Z' }, { message: 'License renewed' }],
    ['deactivate', {}, { message: 'License deactivated' }],
    ['heartbeat', {}, { message: 'Heartbeat recorded', nextHeartbeatAt: expect.any(String) }],
    ['offline-token', {}, { message: 'Offline token issued' }],
    ['update', {}, { message: 'Update allowed' }],
    ['validate', { appVersion: '1.2' }, { valid: true, code: 'VALID', versionAllowed: true }],
  ] as const)(
    '%s has a short answer when it is allowed, without key or machine',
    async (action, more, body) => {
      const policy = await app.policy({ heartbeatInterval: 5, maxVersion: '1' });
      const { id, key: licenseKey } = await app.license({ policyId: policy.id });
      await send('activate', { licenseKey, machineId });
      const { answer } = await ask({ licenseId: id, action, machineId, ...more });
      expect(answer).toMatchObject({ httpStatus: 200, body: { success: true, ...body } });
      expect(JSON.stringify(answer)).not.toContain(licenseKey);
    },
  );

  it('tells what an installation would be offered, at any moment and for an imagined license', async () => {
    const product = await signedProduct(app.ctx, 'simulated', { prereleaseNeedsBeta: true });
    await published(app.ctx, product, '1.5.0', { platform: 'linux' });
    await published(app.ctx, product, '2.0.0', { platform: 'linux', at: inDays(2) });
    const { id } = await app.license({ productId: product.id, maxVersion: '1' });
    const asked = { licenseId: id, action: 'update', currentVersion: 'v1.0.0', platform: 'linux' } as const;
    const offer = async (more: Partial<SimulationInput> = {}) =>
      (await ask({ ...asked, ...more })).answer.body;
    expect(await offer()).toMatchObject({ success: true, update_available: true, version: '1.5.0' });
    const current = { currentVersion: '1.5.0', at: inDays(2) };
    expect(await offer(current)).toMatchObject({
      update_available: false,
      current_version: '1.5.0',
      channel: 'stable',
      newer_version_not_allowed: '2.0.0',
    });
    const freed = { license: { maxVersion: '2' } };
    expect(await offer({ ...current, changes: freed })).toMatchObject({ version: '2.0.0' });
    expect(await offer({ ...asked, platform: 'win32' })).toMatchObject({ update_available: false });
  });

  it('refuses unknown fields, wrong values and contradictions', async () => {
    const { id } = await app.license();
    const faults = (input: object) => faultsOf(simulate(app.ctx, input as SimulationInput));
    const action = 'validate';
    expect(await faults({ licenseId: id, action, machine: 'x' })).toEqual(['']);
    expect(await faults({ licenseId: id, action: 'delete' })).toEqual(['action']);
    expect(await faults({ action })).toEqual(['licenseId']);
    const draft = { productId: 'x', type: 'TRIAL', tier: 'PERSONAL' };
    expect(await faults({ licenseId: id, draft, action })).toEqual(['draft']);
    expect(await faults({ licenseId: id, action, at: '2026-02-30T00:00:00Z' })).toEqual(['at']);
    expect(await faults({ licenseId: id, action, machineId: '\ud800'.padEnd(9, 'x') })).toEqual([
      'machineId',
    ]);
    expect(await faults({ licenseId: id, action, quantity: 10_001 })).toEqual(['quantity']);
    expect(await faults({ licenseId: id, action: 'validate-entitlement' })).toEqual(['entitlement']);
    expect(await faults({ licenseId: id, action: 'renew' })).toEqual(['validUntil']);
    const polluted = JSON.parse('{"__proto__": {"maxUses": 1}, "id": "x"}');
    expect(await faults({ licenseId: id, action, changes: { license: polluted } })).toEqual([
      'changes.license',
    ]);
    expect(await faults({ licenseId: id, action, changes: { policy: { name: 'x' } } })).toEqual([
      'changes.policy',
    ]);
    const half = { policy: { maxDeactivations: 1 } };
    expect(await faults({ licenseId: id, action, changes: half })).toEqual(['changes.policy']);
  });

  it('knows nothing of other tenants', async () => {
    const { id } = await app.license();
    const other = await app.otherTenant();
    const { slug } = await app.product();
    const draft = { productId: slug, type: 'TRIAL', tier: 'PERSONAL' } as const;
    expect(await codeOf(simulate(other, { licenseId: id, action: 'validate' }))).toBe('NOT_FOUND');
    expect(await codeOf(simulate(other, { draft, action: 'validate' }))).toBe('NOT_FOUND');
  });
});

describe('policy impact', () => {
  it('counts the answers of validate that a change would turn, machine by machine', async () => {
    const policy = await app.policy({ gracePeriodSeconds: DAY });
    const { id: productId } = await app.product({ policyId: policy.id });
    const lapsed = await app.license({ productId, maxActivations: 3, validUntil: inDays(0.01) });
    for (const machine of ['machine-0001', 'machine-0002']) {
      await send('activate', { licenseKey: lapsed.key, machineId: machine });
    }
    const idle = await app.license({ policyId: policy.id, validUntil: inDays(0.01) });
    const versioned = await app.license({ policyId: policy.id });
    await send('activate', { licenseKey: versioned.key, machineId, appVersion: '3.0' });
    await app.license({ productId, policyId: (await app.policy()).id });
    app.clock.advance(0.02 * DAY);
    const { result, changes } = await app.changesBy(() =>
      impact(app.ctx, policy.name, { gracePeriodSeconds: 0, maxVersion: '2' }),
    );
    expect(changes).toEqual(nothing);
    expect(result).toEqual({
      affectedLicenses: 3,
      wouldChangeAnswer: 4,
      transitions: [
        { from: 'GRACE', to: 'EXPIRED', count: 2 },
        { from: 'NOT_ACTIVATED', to: 'EXPIRED', count: 1 },
        { from: 'VALID', to: 'VERSION_NOT_ALLOWED', count: 1 },
      ],
      samples: [
        sample(lapsed, 'machine-0001', 'GRACE', 'EXPIRED'),
        sample(lapsed, 'machine-0002', 'GRACE', 'EXPIRED'),
        sample(idle, null, 'NOT_ACTIVATED', 'EXPIRED'),
        sample(versioned, machineId, 'VALID', 'VERSION_NOT_ALLOWED'),
      ],
      truncated: false,
    });
    const none = await impact(app.ctx, policy.id, { maxUses: 5 });
    expect(none).toMatchObject({ affectedLicenses: 3, wouldChangeAnswer: 0, samples: [], truncated: false });
    expect(await impact(app.ctx, policy.id, { maxUses: 5 }, 4)).toMatchObject({ truncated: false });
    const cut = await impact(app.ctx, policy.id, { gracePeriodSeconds: 0 }, 1);
    expect(cut).toMatchObject({ affectedLicenses: 1, wouldChangeAnswer: 1, truncated: true });
  });

  it('refuses what an update would refuse', async () => {
    const policy = await app.policy();
    const faults = (input: object) => faultsOf(impact(app.ctx, policy.id, input));
    expect(await faults({ maxUses: '5' })).toEqual(['maxUses']);
    expect(await faults({ nothing: 1 })).toEqual(['']);
    expect(await faults({ maxDeactivations: 3 })).toEqual(['deactivationWindowDays']);
    expect(await codeOf(impact(app.ctx, 'no policy', { maxUses: 5 }))).toBe('NOT_FOUND');
    expect(await codeOf(impact(await app.otherTenant(), policy.id, { maxUses: 5 }))).toBe('NOT_FOUND');
  });
});

const sample = (
  license: { id: string; key: string },
  machine: string | null,
  before: string,
  after: string,
) => ({
  licenseId: license.id,
  keyPrefix: license.key.slice(0, 8),
  machineId: machine,
  before,
  after,
});
