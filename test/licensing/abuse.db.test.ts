// The rules of abuse detection at their thresholds, through calls as clients make them; its flags and what becomes of
// them, and the rules of a tenant (D70, D128, D129).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evaluate } from '#licensing/insight/abuse/evaluate.ts';
import * as abuse from '#licensing/insight/abuse/index.ts';
import { listRules, setRule } from '#licensing/insight/abuse/index.ts';
import { flushDue, flushStatistics } from '#licensing/insight/statistics/index.ts';
import { type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { failingCtx } from '../support/failing-ctx.ts';
import { codeOf, faultsOf } from '../support/refusal.ts';

const api = '/api/v1/license';
const machineId = 'machine-0001';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({ proxyTrust: '127.0.0.0/8' });
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

let license: MadeLicense;
beforeEach(async () => {
  app.clock.advance(60);
  license = await app.license({ maxActivations: 1 });
});

const call = (action: string, body: object = {}, ip = '198.51.100.7') =>
  app.post(`${api}/${action}`, { licenseKey: license.key, machineId, ...body }, key, {
    'X-Forwarded-For': ip,
  });

/** What the job does: counters are written, then judged. */
async function judge() {
  await flushStatistics(app.ctx);
  return evaluate(app.ctx);
}
const flags = async (licenseId = license.id) =>
  (await abuse.flagRows.page(app.ctx, { filters: { licenseId: [licenseId] }, offset: 0, limit: 100 })).items;
const rulesFlagged = async () => (await flags()).map(({ rule, status }) => `${rule} ${status}`);
const eventsOf = async (type: string) =>
  (await app.eventsOf(license.id)).filter((event) => event.type === type).map((event) => event.data);

describe('each rule raises nothing at its threshold and a flag beyond it', () => {
  it('IP_SPREAD: 10 and 11 networks with valid answers in 24 hours', async () => {
    await call('activate');
    for (let n = 0; n < 9; n++) await call('validate', {}, `10.0.${n}.1`);
    await call('validate', {}, '10.0.8.2');
    await call('validate', { machineId: 'machine-0002' }, '10.0.200.1');
    await judge();
    expect(await flags()).toEqual([]);
    await call('validate', {}, '10.0.9.1');
    expect((await judge()).raised).toBe(1);
    const [flag] = await flags();
    expect(flag).toMatchObject({
      rule: 'IP_SPREAD',
      status: 'OPEN',
      score: 11,
      evidence: { networks: 11, limit: 10, windowSeconds: 86_400 },
      note: null,
      resolvedAt: null,
    });
    expect(await eventsOf('ABUSE_FLAGGED')).toMatchObject([
      {
        licenseId: license.id,
        status: 'ACTIVE',
        details: { flagId: flag?.id, rule: 'IP_SPREAD', score: 11, evidence: flag?.evidence },
      },
    ]);
    expect(JSON.stringify(await eventsOf('ABUSE_FLAGGED'))).not.toContain('10.0.');
  });

  it('IP_SPREAD: a network that was last seen 24 hours ago does not count', async () => {
    await call('activate', {}, '10.0.99.1');
    app.clock.advance(86_400);
    for (let n = 0; n < 10; n++) await call('validate', {}, `10.0.${n}.1`);
    await judge();
    expect(await flags()).toEqual([]);
  });

  it('IP_SPREAD: a network of yesterday counts by when it was last seen, not by when it was first seen', async () => {
    const startOfDay = Date.parse(`${app.ctx.now().slice(0, 10)}T24:00:00.000Z`);
    app.clock.advance((startOfDay - app.clock.epochMs()) / 1000);
    const hours = (count: number) => app.clock.advance(count * 3600);
    license = await app.license({ maxActivations: 1 });
    await call('activate', {}, '10.0.0.1');
    const rest = [1, 2, 3, 4, 5];
    for (const n of [...rest, 6]) await call('validate', {}, `10.0.${n}.1`);
    await flushDue(app.ctx);
    hours(20);
    for (const n of [0, ...rest]) await call('validate', {}, `10.0.${n}.1`);
    await flushDue(app.ctx);
    hours(16);
    for (const n of [20, 21, 22, 23]) await call('validate', {}, `10.0.${n}.1`);
    await flushDue(app.ctx);
    expect((await evaluate(app.ctx)).raised).toBe(0);
    await call('validate', {}, '10.0.24.1');
    await flushDue(app.ctx);
    expect((await evaluate(app.ctx)).raised).toBe(1);
    expect((await flags())[0]?.evidence).toMatchObject({ networks: 11 });
  });

  it('MACHINE_SPREAD: more than 5 machines, and more than three per seat', async () => {
    const tryMachines = async (count: number) => {
      for (let n = 1; n <= count; n++) await call('validate', { machineId: `machine-000${n}` });
      await judge();
      return rulesFlagged();
    };
    expect(await tryMachines(5)).toEqual([]);
    expect(await tryMachines(6)).toEqual(['MACHINE_SPREAD OPEN']);
    license = await app.license({ maxActivations: 2 });
    expect(await tryMachines(6)).toEqual([]);
    expect(await tryMachines(7)).toEqual(['MACHINE_SPREAD OPEN']);
    expect((await flags())[0]?.evidence).toEqual({ machines: 7, limit: 6, windowSeconds: 86_400 });
  });

  it('CHURN: 10 and 11 pairs in 30 days', async () => {
    await call('activate');
    for (let n = 0; n < 10; n++) {
      app.clock.advance(86_400 * 2);
      await call('deactivate');
      await call('activate');
    }
    await judge();
    expect(await flags()).toEqual([]);
    await call('deactivate');
    await judge();
    expect(await flags()).toEqual([]);
    await call('activate');
    await judge();
    expect(await rulesFlagged()).toEqual(['CHURN OPEN']);
  });

  it('CHURN: a pair of more than 30 days ago does not count', async () => {
    await call('activate');
    for (let n = 0; n < 11; n++) {
      app.clock.advance(n === 1 ? 86_400 * 30 : 60);
      await call('deactivate');
      await call('activate');
    }
    await judge();
    expect(await flags()).toEqual([]);
  });

  it('LIMIT_HAMMER: 20 and 21 refusals for want of a seat in an hour', async () => {
    await call('activate');
    const hammer = () => call('activate', { machineId: 'machine-0002' });
    await hammer();
    app.clock.advance(3600);
    for (let n = 0; n < 20; n++) await hammer();
    await judge();
    expect(await flags()).toEqual([]);
    await hammer();
    await judge();
    expect(await rulesFlagged()).toEqual(['LIMIT_HAMMER OPEN']);
  });

  it('CLONED_MACHINE: one machine comes back 6 and 7 times; two machines do not add up', async () => {
    license = await app.license({ maxActivations: 2 });
    for (const machine of [machineId, 'machine-0002']) await call('activate', { machineId: machine });
    const beats = async (machine: string, count: number) => {
      for (let n = 0; n < count; n++)
        await call('heartbeat', { machineId: machine }, `192.0.2.${1 + (n % 2)}`);
    };
    await beats(machineId, 8);
    await beats('machine-0002', 8);
    await judge();
    expect(await flags()).toEqual([]);
    await beats(machineId, 1);
    await judge();
    expect(await rulesFlagged()).toEqual(['CLONED_MACHINE OPEN']);
    expect((await flags())[0]?.evidence).toMatchObject({ alternations: 7 });
  });
});

it('a license that cannot be judged keeps no other from it, and is looked at again by the next run', async () => {
  const made = [license, await app.license({ maxActivations: 1 })];
  for (license of made)
    for (let n = 0; n < 6; n++) await call('validate', { machineId: `machine-${1000 + n}` });
  await flushStatistics(app.ctx);
  const broken = new Error('this license is broken');
  const failing = failingCtx(app.ctx, (number) => (number === 1 ? broken : null));
  await expect(evaluate(failing)).rejects.toMatchObject({ counts: { failed: 1 } });
  const flagged = async () => (await Promise.all(made.map(({ id }) => flags(id)))).flat();
  expect(await flagged()).toMatchObject([{ rule: 'MACHINE_SPREAD' }]);
  expect(await evaluate(app.ctx)).toMatchObject({ raised: 1 });
  expect(await flagged()).toHaveLength(2);
});

describe('a flag', () => {
  const spread = async (from: number, to: number) => {
    for (let n = from; n < to; n++) await call('validate', { machineId: `machine-00${10 + n}` });
  };

  it('is open once per license and rule, however often it is judged', async () => {
    await spread(0, 6);
    expect((await judge()).raised).toBe(1);
    await spread(6, 9);
    expect((await judge()).raised).toBe(0);
    await Promise.all([evaluate(app.ctx), evaluate(app.ctx)]);
    expect(await rulesFlagged()).toEqual(['MACHINE_SPREAD OPEN']);
    expect(await eventsOf('ABUSE_FLAGGED')).toHaveLength(1);
  });

  it('that was cleared is told, and opens again by new evidence only', async () => {
    await spread(0, 6);
    await judge();
    const [open] = await flags();
    app.clock.advance(60);
    const { result: cleared, changes } = await app.changesBy(() =>
      abuse.clear(app.ctx, open?.id ?? '', 'a conference'),
    );
    expect(cleared).toMatchObject({ status: 'CLEARED', note: 'a conference', resolvedAt: app.ctx.now() });
    expect(changes).toEqual({ events: ['ABUSE_CLEARED'], rows: { license_abuse_flags: '~1' } });
    expect(await eventsOf('ABUSE_CLEARED')).toMatchObject([
      { details: { flagId: open?.id, rule: 'MACHINE_SPREAD', resolution: 'CLEARED', note: 'a conference' } },
    ]);
    app.clock.advance(60);
    await spread(0, 5);
    expect((await judge()).raised).toBe(0);
    await spread(5, 6);
    expect((await judge()).raised).toBe(1);
    expect(await rulesFlagged()).toEqual(['MACHINE_SPREAD OPEN', 'MACHINE_SPREAD CLEARED']);
  });

  it('that was confirmed is told to nobody; SUSPEND suspends, REPLACE_KEY gives a new key', async () => {
    const suspended = await abuse.flag(app.ctx, license.id, 'posted');
    const { changes } = await app.changesBy(() =>
      abuse.confirm(app.ctx, suspended.id, { note: 'shared', action: 'NONE' }),
    );
    expect(changes).toEqual({ events: ['ABUSE_FLAG_RESOLVED'], rows: { license_abuse_flags: '~1' } });
    expect(await codeOf(abuse.clear(app.ctx, suspended.id, 'late'))).toBe('CONFLICT');
    const again = await abuse.flag(app.ctx, license.id, 'posted again');
    await abuse.confirm(app.ctx, again.id, { note: 'shared', action: 'REPLACE_KEY' });
    expect((await call('validate')).body.code).toBe('NOT_FOUND');
    const third = await abuse.flag(app.ctx, license.id, 'and again');
    await abuse.confirm(app.ctx, third.id, { note: 'enough', action: 'SUSPEND' });
    expect(await eventsOf('LICENSE_SUSPENDED')).toMatchObject([
      { status: 'SUSPENDED', details: { reason: 'ABUSE', note: 'enough' } },
    ]);
  });

  it('by hand: once while it is open; of an unknown license not at all', async () => {
    const { result, changes } = await app.changesBy(() => abuse.flag(app.ctx, license.id, 'in a forum'));
    expect(changes).toEqual({ events: ['ABUSE_FLAGGED'], rows: { license_abuse_flags: '+1' } });
    expect(result).toMatchObject({ rule: 'MANUAL', score: 1, evidence: {}, note: 'in a forum' });
    expect(await codeOf(abuse.flag(app.ctx, license.id, 'again'))).toBe('CONFLICT');
    expect(await codeOf(abuse.flag(app.ctx, 'lic_nope', 'x'))).toBe('NOT_FOUND');
    for (const note of ['', 'x'.repeat(501), 'a\0b', '\ud800']) {
      expect(await faultsOf(abuse.clear(app.ctx, result.id, note))).toEqual(['note']);
    }
  });

  it('suspends at once where the effective policy says so', async () => {
    const policy = await app.policy({ abuseAction: 'SUSPEND' });
    license = await app.license({ policyId: policy.id });
    await spread(0, 6);
    await flushStatistics(app.ctx);
    const { changes } = await app.changesBy(() => evaluate(app.ctx));
    expect(changes).toEqual({
      events: ['ABUSE_FLAGGED', 'LICENSE_SUSPENDED'],
      rows: { license_abuse_flags: '+1', licenses: '~1' },
    });
    expect((await call('validate')).body.code).toBe('SUSPENDED');
  });

  it('is of its tenant: no other sees, clears or raises it', async () => {
    const other = await app.otherTenant();
    const { id } = await abuse.flag(app.ctx, license.id, 'ours');
    expect((await abuse.flagRows.page(other, { offset: 0, limit: 10 })).items).toEqual([]);
    expect(await codeOf(abuse.get(other, id))).toBe('NOT_FOUND');
    expect(await codeOf(abuse.clear(other, id, 'x'))).toBe('NOT_FOUND');
    expect(await codeOf(abuse.flag(other, license.id, 'x'))).toBe('NOT_FOUND');
  });
});

describe('TRIAL_REUSE (D70)', () => {
  it('is raised by the activation that reuses a trial, in its transaction', async () => {
    const product = await app.product({ defaultLicenseType: 'TRIAL' });
    const trial = () =>
      app.license({ productId: product.id, customerEmail: `${app.ctx.newId('tst')}@x.test` });
    license = await trial();
    await call('activate', { machineId: 'trial-machine-1' });
    expect(await flags()).toEqual([]);
    license = await trial();
    const { changes } = await app.changesBy(() => call('activate', { machineId: 'trial-machine-1' }));
    expect(changes.events).toEqual(['ABUSE_FLAGGED', 'LICENSE_ACTIVATED']);
    expect(changes.rows.license_abuse_flags).toBe('+1');
    expect(await rulesFlagged()).toEqual(['TRIAL_REUSE OPEN']);
    await call('activate', { machineId: 'trial-machine-1' });
    expect(await flags()).toHaveLength(1);
  });
});

describe('rules of a tenant', () => {
  it('have the defaults of D128, and thresholds and switches of their own', async () => {
    const other = await app.otherTenant();
    const defaults = Object.fromEntries((await listRules(other)).map(({ rule, params }) => [rule, params]));
    expect(defaults).toEqual({
      IP_SPREAD: { networks: 10 },
      MACHINE_SPREAD: { perSeat: 3, machines: 5 },
      CHURN: { pairs: 10 },
      LIMIT_HAMMER: { refusals: 20 },
      CLONED_MACHINE: { alternations: 6 },
      TRIAL_REUSE: {},
      OLD_KEY_USED: {},
      MANUAL: {},
    });
    const changed = await setRule(app.ctx, 'MACHINE_SPREAD', { params: { machines: 2, perSeat: 1 } });
    expect(changed).toMatchObject({ enabled: true, params: { machines: 2, perSeat: 1 } });
    expect((await listRules(other)).find(({ rule }) => rule === 'MACHINE_SPREAD')?.params.machines).toBe(5);
    for (const machine of ['machine-0001', 'machine-0002', 'machine-0003'])
      await call('validate', { machineId: machine });
    await judge();
    expect(await rulesFlagged()).toEqual(['MACHINE_SPREAD OPEN']);
    license = await app.license();
    await setRule(app.ctx, 'MACHINE_SPREAD', { enabled: false });
    for (let n = 0; n < 9; n++) await call('validate', { machineId: `machine-000${n}` });
    await judge();
    expect(await flags()).toEqual([]);
    await setRule(app.ctx, 'MACHINE_SPREAD', { enabled: true, params: { machines: 5, perSeat: 3 } });
  });

  it('refuse what is no rule, no threshold of it, or no whole number in range', async () => {
    expect(await faultsOf(setRule(app.ctx, 'NOPE', {}))).toEqual(['rule']);
    expect(await faultsOf(setRule(app.ctx, 'MANUAL', { enabled: false }))).toEqual(['rule']);
    expect(await faultsOf(setRule(app.ctx, 'CHURN', { params: { networks: 1 } }))).toEqual(['params']);
    expect(await faultsOf(setRule(app.ctx, 'CHURN', { params: { ['__proto__']: 1 } }))).toEqual(['params']);
    for (const pairs of [-1, 1.5, 1_000_001, '5', null, Number.NaN])
      expect(await faultsOf(setRule(app.ctx, 'CHURN', { params: { pairs } }))).toEqual(['params.pairs']);
    await setRule(app.ctx, 'CHURN', { params: { pairs: 0 } });
    await setRule(app.ctx, 'CHURN', { params: { pairs: 1_000_000 } });
    const { changes } = await app.changesBy(() =>
      setRule(app.ctx, 'CHURN', { params: { pairs: 1_000_000 } }),
    );
    expect(changes).toEqual({ events: [], rows: {} });
  });
});
