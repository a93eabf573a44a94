// The rules of abuse detection at their thresholds, through calls as clients make them (D128, D129).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evaluate } from '#licensing/insight/abuse/evaluate.ts';
import * as abuse from '#licensing/insight/abuse/index.ts';
import { flushDue, flushStatistics } from '#licensing/insight/statistics/index.ts';
import { type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { failingCtx } from '../support/failing-ctx.ts';

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
  (await abuse.list(app.ctx, { licenseId }, { page: 1, limit: 100 })).items;
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
