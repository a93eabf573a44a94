// PATCH and change-policy of a license as use cases (licensing 4.2; D38, D61, D64).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Changes, nothing } from '../support/database-changes.ts';
import { checkInvariants } from '../support/invariants.ts';
import { newestEvents } from '../support/timeline.ts';

const DAY = 86_400;
let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const inDays = (days: number) => new Date(app.clock.epochMs() + days * DAY * 1000).toISOString();
const edited: Changes = { events: ['LICENSE_UPDATED'], rows: { licenses: '~1' } };
const renewed: Changes = { ...edited, events: ['LICENSE_RENEWED', 'LICENSE_UPDATED'] };
const expiredAndRenewed: Changes = {
  ...edited,
  events: ['LICENSE_EXPIRED', 'LICENSE_RENEWED', 'LICENSE_UPDATED'],
};

const update = (id: string, input: object, options = {}) =>
  app.changesBy(() => licenses.update(app.ctx, id, input as licenses.LicenseUpdateInput, options));

/** Tries what must be refused, and leaves nothing behind. */
async function refused(work: () => Promise<unknown>, code: string, details: object = {}) {
  const { result, changes } = await app.changesBy(() => work().then(String, (error: unknown) => error));
  expect(result).toMatchObject({ code, details });
  expect(changes).toEqual(nothing);
}
const refusedUpdate = (id: string, input: object, code: string, details: object = {}) =>
  refused(() => licenses.update(app.ctx, id, input as licenses.LicenseUpdateInput), code, details);

const diffOf = async (subject: string): Promise<unknown> => {
  const rows = await newestEvents(app.ctx, subject, 10);
  return rows.findLast(({ type }) => type === 'LICENSE_UPDATED')?.diff;
};

describe('update', () => {
  it('changes every field, answers with what it was, and keeps the diff in the timeline', async () => {
    const { id } = await app.license({ metadata: { old: 1 } });
    const policy = await app.policy();
    const input = {
      type: 'SUBSCRIPTION',
      tier: 'BUSINESS',
      maxActivations: 1000,
      features: { sso: true, ['__proto__']: { seats: 5 } },
      maxVersion: '2.4',
      maxUses: 0,
      policyId: policy.id,
      gracePeriodSeconds: 31_536_000,
      orderId: 'Bestellung №1',
      metadata: { name: '文 🎉' },
      notes: 'x'.repeat(5000),
    };
    app.clock.advance(5);
    const { result, changes } = await update(id, input);
    expect(changes).toEqual(edited);
    expect(result.license).toMatchObject(input);
    expect(result.license.updatedAt).toBe(app.ctx.now());
    expect(Object.keys(result.license.features ?? {})).toContain('__proto__');
    expect(result.before).toEqual({
      type: 'PERPETUAL',
      tier: 'PERSONAL',
      maxActivations: 1,
      features: null,
      maxVersion: null,
      maxUses: null,
      policyId: null,
      gracePeriodSeconds: null,
      orderId: null,
      metadata: { old: 1 },
      notes: null,
    });
    expect(await diffOf(id)).toMatchObject({ tier: ['PERSONAL', 'BUSINESS'], maxActivations: [1, 1000] });
    const cleared = { features: null, maxVersion: null, maxUses: null, policyId: null, notes: null };
    const back = await update(id, { ...cleared, gracePeriodSeconds: null, orderId: null });
    expect(back.result.license).toMatchObject({ ...cleared, gracePeriodSeconds: null, orderId: null });
  });

  it('takes a policy by its name', async () => {
    const { id } = await app.license();
    const policy = await app.policy({ name: 'a name that is longer than any id of the service' });
    expect((await update(id, { policyId: policy.name })).result.license.policyId).toBe(policy.id);
  });

  it('with the values that stand changes nothing, a date in the past included', async () => {
    const { id } = await app.license({ validUntil: inDays(-3), metadata: { a: 1, b: 2 } });
    const same = { validUntil: inDays(-3), metadata: { b: 2, a: 1 }, tier: 'PERSONAL' };
    const { result, changes } = await update(id, same);
    // The lock persists the date (D34); the edit itself writes nothing.
    expect(changes).toEqual({ events: ['LICENSE_EXPIRED'], rows: { licenses: '~1' } });
    expect(result.before).toEqual({});
    expect((await update(id, same)).changes).toEqual(nothing);
    expect((await update(id, {})).changes).toEqual(nothing);
  });

  it('maxActivations below the number in use keeps the machines and refuses new ones (D61)', async () => {
    const { id, key: licenseKey } = await app.license({ maxActivations: 2 });
    for (const machineId of ['machine-0001', 'machine-0002'])
      await machines.activate(app.ctx, { licenseKey, machineId });
    expect((await update(id, { maxActivations: 1 })).result.license.activationsUsed).toBe(2);
    const third = machines.activate(app.ctx, { licenseKey, machineId: 'machine-0003' });
    await expect(third).rejects.toMatchObject({ code: 'ACTIVATION_FAILED' });
    expect(await checkInvariants(app.ctx)).toMatchObject({ status: 'ok' });
  });

  it.each<[string, object, object]>([
    ['an unknown field', { statsu: 'ACTIVE' }, { issues: [{ rule: 'unrecognized_keys' }] }],
    ['the status', { status: 'ACTIVE' }, { issues: [{ rule: 'unrecognized_keys' }] }],
    ['0 activations', { maxActivations: 0 }, { issues: [{ path: 'maxActivations' }] }],
    ['1001 activations', { maxActivations: 1001 }, { issues: [{ path: 'maxActivations' }] }],
    ['a number as text', { maxActivations: '5' }, { issues: [{ path: 'maxActivations' }] }],
    ['uses below 0', { maxUses: -1 }, { issues: [{ path: 'maxUses' }] }],
    ['grace of a year and a second', { gracePeriodSeconds: 31_536_001 }, {}],
    ['a date without zone', { validUntil: '2030-01-01' }, { issues: [{ path: 'validUntil' }] }],
    ['a version that is none', { maxVersion: 'latest' }, { issues: [{ path: 'maxVersion' }] }],
    ['features that are a list', { features: [] }, { issues: [{ path: 'features' }] }],
    ['metadata of 21 keys', { metadata: Object.fromEntries([...'abcdefghijklmnopqrstu'].entries()) }, {}],
    ['notes of 5001 characters', { notes: 'x'.repeat(5001) }, { issues: [{ path: 'notes' }] }],
    ['U+0000', { notes: 'a\0b' }, { issues: [{ path: 'notes' }] }],
    ['a type of another kind', { type: 'perpetual' }, { issues: [{ path: 'type' }] }],
  ])('refuses %s', async (_what, input, details) => {
    const { id } = await app.license();
    await refusedUpdate(id, input, 'VALIDATION_ERROR', details);
  });

  it('refuses what it cannot know: license, policy, and those of other tenants', async () => {
    const { id } = await app.license();
    const other = await app.otherTenant();
    await refusedUpdate('lic_nope', { tier: 'BUSINESS' }, 'NOT_FOUND');
    await refusedUpdate(id, { policyId: 'pol_nope' }, 'NOT_FOUND');
    await refused(() => licenses.update(other, id, { tier: 'BUSINESS' }), 'NOT_FOUND');
  });

  it('refuses a stale expectation (If-Match, PRECONDITION_FAILED)', async () => {
    const { id } = await app.license();
    const { updatedAt } = await licenses.get(app.ctx, id);
    app.clock.advance(1);
    await update(id, { notes: 'mine' }, { ifMatch: updatedAt });
    const late = () => licenses.update(app.ctx, id, { notes: 'late' }, { ifMatch: updatedAt });
    await refused(late, 'PRECONDITION_FAILED', { updatedAt: app.ctx.now() });
  });
});

describe('validUntil follows D38', () => {
  it('a later date is a renewal, and makes EXPIRED ACTIVE', async () => {
    const { id } = await app.license({ validUntil: inDays(-1) });
    const { result, changes } = await update(id, { validUntil: inDays(9) });
    expect(changes).toEqual(expiredAndRenewed);
    expect(licenses.statusOf(app.ctx, result.license)).toBe('ACTIVE');
    const event = (await app.eventsOf(id)).find(({ type }) => type === 'LICENSE_RENEWED');
    const details = { previousValidUntil: inDays(-1), validUntil: inDays(9), previousStatus: 'EXPIRED' };
    expect(event?.data).toMatchObject({ status: 'ACTIVE', details });
  });

  it('null takes the end away and is a renewal', async () => {
    const { id } = await app.license({ validUntil: inDays(-1) });
    const { result, changes } = await update(id, { validUntil: null });
    expect([changes, result.license.storedStatus, result.license.validUntil]).toEqual([
      expiredAndRenewed,
      'ACTIVE',
      null,
    ]);
  });

  it('an earlier date, and an end for a license without one, are only in the timeline', async () => {
    const { id } = await app.license();
    expect((await update(id, { validUntil: inDays(30) })).changes).toEqual(edited);
    expect((await update(id, { validUntil: inDays(3) })).changes).toEqual(edited);
    expect(await diffOf(id)).toEqual({ validUntil: [inDays(30), inDays(3)] });
  });

  it('a SUSPENDED license stays so; a REVOKED one is LICENSE_REVOKED, and its notes can still be written', async () => {
    const { id } = await app.license({ validUntil: inDays(1) });
    await licenses.suspend(app.ctx, id, { reason: 'ADMIN', note: null });
    expect((await update(id, { validUntil: inDays(5) })).result.license.storedStatus).toBe('SUSPENDED');
    await licenses.revoke(app.ctx, { licenseId: id }, null);
    await refusedUpdate(id, { validUntil: inDays(9) }, 'LICENSE_REVOKED');
    await refusedUpdate(id, { validUntil: null }, 'LICENSE_REVOKED');
    expect((await update(id, { notes: 'refunded' })).changes).toEqual(edited);
  });

  it('a date that is not in the future is refused at both edges', async () => {
    const { id } = await app.license();
    const details = { issues: [{ path: 'validUntil', rule: 'future' }] };
    await refusedUpdate(id, { validUntil: app.ctx.now() }, 'VALIDATION_ERROR', details);
    const next = new Date(app.clock.epochMs() + 1).toISOString();
    expect((await update(id, { validUntil: next })).result.license.validUntil).toBe(next);
  });
});

describe('type to or from FLOATING', () => {
  it('is CONFLICT while a machine lives, also with a fit date, and free after it', async () => {
    const { id, key } = await app.license({ maxActivations: 2 });
    await machines.activate(app.ctx, { licenseKey: key, machineId: 'machine-0001' });
    const details = { reason: 'IN_USE', activationsUsed: 1 };
    await refusedUpdate(id, { type: 'FLOATING', validUntil: inDays(2) }, 'CONFLICT', details);
    expect((await update(id, { type: 'SUBSCRIPTION' })).changes).toEqual(edited);
    await machines.clear(app.ctx, id);
    expect((await update(id, { type: 'FLOATING' })).changes).toEqual(edited);
  });

  it('ends leases that ran out, so that their machines can take a slot', async () => {
    const { id, key } = await app.license({ type: 'FLOATING' });
    await machines.activate(app.ctx, { licenseKey: key, machineId: 'machine-0001' });
    await refusedUpdate(id, { type: 'PERPETUAL' }, 'CONFLICT');
    app.clock.advance(3600);
    const { changes } = await update(id, { type: 'PERPETUAL' });
    expect(changes).toEqual({
      events: ['LEASE_EXPIRED', 'LICENSE_UPDATED'],
      rows: { licenses: '~1', license_activations: '~1' },
    });
    await machines.activate(app.ctx, { licenseKey: key, machineId: 'machine-0001' });
  });
});

describe('changePolicy', () => {
  const change = (id: string, policyId: string, expiry: 'KEEP' | 'RESET') =>
    app.changesBy(() => licenses.changePolicy(app.ctx, id, { policyId, expiry }));

  it('KEEP leaves the end, RESET makes it now + defaultDurationDays', async () => {
    const policy = await app.policy({ defaultDurationDays: 10 });
    const { id } = await app.license({ validUntil: inDays(3) });
    const kept = await change(id, policy.id, 'KEEP');
    expect([kept.changes, kept.result.license.validUntil]).toEqual([edited, inDays(3)]);
    expect((await change(id, policy.name, 'KEEP')).changes).toEqual(nothing);
    const reset = await change(id, policy.name, 'RESET');
    expect([reset.changes, reset.result.license.validUntil]).toEqual([renewed, inDays(10)]);
  });

  it('refuses an unknown policy, RESET without a duration, RESET of REVOKED, and another word', async () => {
    const policy = await app.policy();
    const dated = await app.policy({ defaultDurationDays: 1 });
    const { id } = await app.license();
    const by = (policyId: string, expiry: 'KEEP' | 'RESET') => () =>
      licenses.changePolicy(app.ctx, id, { policyId, expiry });
    await refused(by('nope', 'KEEP'), 'NOT_FOUND');
    await refused(by(policy.id, 'RESET'), 'VALIDATION_ERROR', { issues: [{ path: 'expiry' }] });
    await refused(by(policy.id, 'reset' as 'RESET'), 'VALIDATION_ERROR', { issues: [{ path: 'expiry' }] });
    await licenses.revoke(app.ctx, { licenseId: id }, null);
    await refused(by(dated.id, 'RESET'), 'LICENSE_REVOKED');
    expect((await change(id, dated.id, 'KEEP')).changes).toEqual(edited);
  });
});
