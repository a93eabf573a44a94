// The job that removes what was kept for its time, at both edges of each bound (licensing 4.5, 4.6, 8.3, 8.6; D63, D81).
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import { endedActivationDays } from '#licensing/contract/settings.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as settings from '#platform/settings/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { runJob } from '../support/jobs.ts';
import { codeOf } from '../support/refusal.ts';

const DAY = 86_400;

let app: TestApp;
let licenseId: string;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  licenseId = (await app.license({ maxActivations: 1000 })).id;
});

const none = {
  activations: 0,
  idempotencyKeys: 0,
  requests: 0,
  observations: 0,
  denials: 0,
  dailyTotals: 0,
  keyHours: 0,
  requestHours: 0,
  seatHours: 0,
  versionDays: 0,
  inboundBodies: 0,
  inboundRefusals: 0,
};
const run = () => app.changesBy(() => runJob(app.ctx, 'retention'));
const ago = (seconds: number) => addSeconds(app.ctx.now(), -seconds);
const insert = (table: string, rows: object[]) =>
  app.instance.database.transaction(async ({ knex }) => {
    for (let i = 0; i < rows.length; i += 50) await knex(table).insert(rows.slice(i, i + 50));
  });
const count = async (table: string, where: object) =>
  (await app.instance.database.db.knex(table).where(where)).length;

let made = 0;
const activation = (endedAt: string | null, endReason: string | null = endedAt && 'ADMIN') => {
  made += 1;
  const at = ago(4000 * DAY);
  return {
    id: app.ctx.newId('act'),
    tenant_id: app.ctx.tenantId,
    license_id: licenseId,
    kind: 'NODE',
    machine_id: `machine-${made}`,
    activated_at: at,
    last_seen_at: at,
    ended_at: endedAt,
    end_reason: endReason,
    created_at: at,
  };
};

const usage = (key: string | null, at: string) => ({
  id: app.ctx.newId('use'),
  tenant_id: app.ctx.tenantId,
  license_id: licenseId,
  feature: 'export',
  quantity: 2,
  counter_after: 2,
  epoch: 0,
  idempotency_key: key,
  at,
});

const request = (at: string) => ({
  id: app.ctx.newId('req'),
  at,
  method: 'POST',
  route: '/api/v1/license/validate',
  status: 200,
  ip: '192.0.2.1',
  ms: 1,
});

const observation = (at: string, kind = 'CHURN', value = at) => ({
  license_id: licenseId,
  day: at.slice(0, 10),
  kind,
  value,
  count: 1,
  first_at: at,
  last_at: at,
  noted_at: at.slice(0, 16),
});

it('does nothing where nothing is old', async () => {
  expect(await run()).toEqual({ result: none, changes: nothing });
});

it('removes activations that ended more than 730 days ago; live ones stay however old they are', async () => {
  await insert('license_activations', [
    activation(ago(730 * DAY + 0.001)),
    activation(ago(730 * DAY + 0.001), 'CLIENT'),
    activation(ago(730 * DAY), 'HEARTBEAT'),
    activation(ago(DAY)),
    activation(null),
  ]);
  expect(await run()).toEqual({
    result: { ...none, activations: 2 },
    changes: { events: [], rows: { license_activations: '-2' } },
  });
  expect(await run()).toEqual({ result: none, changes: nothing });
  app.clock.advance(0.001);
  expect((await run()).result).toEqual({ ...none, activations: 1 });
});

it('obeys licensing.ended_activation_days, within its bounds', async () => {
  const { key } = endedActivationDays;
  const set = (value: number) => settings.set(app.ctx, { key, value });
  for (const value of [0, 36_501, 1.5]) expect(await codeOf(set(value))).toBe('VALIDATION_ERROR');
  await insert('license_activations', [activation(ago(2 * DAY + 1)), activation(ago(2 * DAY - 1))]);
  await set(2);
  expect((await run()).result).toEqual({ ...none, activations: 1 });
  await settings.unset(app.ctx, key);
  expect((await run()).result).toEqual(none);
});

it('keeps what clients ended as long as the longest window in which a policy counts it (D63)', async () => {
  const policy = await policies.create(app.ctx, {
    name: 'Churn',
    maxDeactivations: 1,
    deactivationWindowDays: 1000,
  });
  const { id, key } = await app.license({ policyId: policy.id });
  licenseId = id;
  await insert('license_activations', [
    activation(ago(1000 * DAY - 1), 'CLIENT'),
    activation(ago(1000 * DAY + 1), 'CLIENT'),
    activation(ago(731 * DAY), 'ADMIN'),
  ]);
  expect((await run()).result).toEqual({ ...none, activations: 2 });
  await machines.activate(app.ctx, { licenseKey: key, machineId: 'machine-last' });
  const again = machines.deactivate(app.ctx, { licenseKey: key, machineId: 'machine-last' });
  await expect(again).rejects.toMatchObject({ details: { reason: 'CHURN_LIMIT' } });
});

it('remembers trials after their activation is gone (D70)', async () => {
  const policy = await policies.create(app.ctx, { name: 'Trial', trialReuse: 'BLOCK' });
  const product = await app.product({ policyId: policy.id, defaultLicenseType: 'TRIAL' });
  const trial = () =>
    app.license({
      productId: product.id,
      customerEmail: `${made++}@x.test`,
      validUntil: '2099-01-01T00:00:00Z',
    });
  const first = await trial();
  await machines.activate(app.ctx, { licenseKey: first.key, machineId: 'trial-machine' });
  await machines.deactivate(app.ctx, { licenseKey: first.key, machineId: 'trial-machine' });
  app.clock.advance(1001 * DAY);
  await run();
  expect(await count('license_activations', { license_id: first.id })).toBe(0);
  const second = await trial();
  const again = machines.activate(app.ctx, { licenseKey: second.key, machineId: 'trial-machine' });
  await expect(again).rejects.toMatchObject({ details: { reason: 'TRIAL_REUSE' } });
});

it('forgets idempotency keys of usage after 24 hours; the records stay', async () => {
  await insert('license_usage', [
    usage('old', ago(DAY + 0.001)),
    usage('ö😀', ago(DAY + 0.001)),
    usage('young', ago(DAY)),
    usage(null, ago(90 * DAY)),
  ]);
  expect((await run()).result).toEqual({ ...none, idempotencyKeys: 2 });
  const rows = await app.instance.database.db.knex('license_usage').where({ license_id: licenseId });
  expect(rows.map((row) => [row.idempotency_key, row.quantity])).toEqual(
    expect.arrayContaining([
      [null, 2],
      [null, 2],
      ['young', 2],
      [null, 2],
    ]),
  );
});

it('removes recorded calls after licensing.request_log_days', async () => {
  await insert('license_requests', [request(ago(30 * DAY + 0.001)), request(ago(30 * DAY)), request(ago(0))]);
  expect((await run()).result).toEqual({ ...none, requests: 1 });
  expect(await count('license_requests', {})).toBe(2);
});

it.each([
  ['CHURN', 31],
  ['MACHINE_DENIED', 31],
  ['IP_NET', 1.05],
  ['MACHINE_TRIED', 1.05],
  ['LIMIT', 1.05],
  ['BEAT_IP', 1.05],
])('removes observations of %s that were written more than %d days ago', async (kind, days) => {
  await insert('license_observations', [
    observation(ago(days * DAY + 60), kind),
    observation(ago(days * DAY), kind),
    observation(ago(0), kind),
  ]);
  expect((await run()).result).toEqual({ ...none, observations: 1 });
  expect(await count('license_observations', { license_id: licenseId, kind })).toBe(2);
});

it('removes refusals of days that ended more than 31 days ago', async () => {
  const denial = (days: number, code = 'SEATS_EXHAUSTED') => {
    const at = ago(days * DAY);
    const times = { day: at.slice(0, 10), first_at: at, last_at: at };
    return { license_id: licenseId, code, count: 1, machines: 1, ...times };
  };
  await insert('license_denials', [
    denial(400),
    denial(32),
    denial(32, 'NOT_ACTIVATED'),
    denial(31),
    denial(0),
  ]);
  const { product_id } = await app.instance.database.db.knex('licenses').where({ id: licenseId }).first();
  await insert('license_daily_totals', [
    { product_id, day: ago(801 * DAY).slice(0, 10), validations: 1, denials: 0, heartbeats: 0 },
    { product_id, day: ago(799 * DAY).slice(0, 10), validations: 1, denials: 0, heartbeats: 0 },
  ]);
  const { id: api_key_id } = await app.apiKey('VALIDATE_ONLY');
  await insert('license_key_hours', [
    { api_key_id, hour: ago(49 * 3600).slice(0, 13), calls: 1, failed: 0 },
    { api_key_id, hour: ago(47 * 3600).slice(0, 13), calls: 1, failed: 0 },
  ]);
  const hour = (days: number) => `${ago(days * DAY).slice(0, 13)}:00:00.000Z`;
  const asked = { tenant_id: app.ctx.tenantId, up_to_ms: 4, requests: 1, refused: 0, failed: 0 };
  await insert('license_request_hours', [
    { ...asked, hour: hour(801) },
    { ...asked, hour: hour(799) },
  ]);
  await insert('license_seat_hours', [
    { product_id, hour: hour(201), used: 1, seats: 2 },
    { product_id, hour: hour(199), used: 1, seats: 2 },
  ]);
  await insert('license_version_days', [
    { product_id, day: ago(201 * DAY).slice(0, 10), version: '1.0.0', machines: 1 },
    { product_id, day: ago(199 * DAY).slice(0, 10), version: '1.0.0', machines: 1 },
  ]);
  expect((await run()).result).toEqual({
    ...none,
    denials: 3,
    dailyTotals: 1,
    keyHours: 1,
    requestHours: 1,
    seatHours: 1,
    versionDays: 1,
  });
  expect(await count('license_denials', { license_id: licenseId })).toBe(2);
});

it('takes as many steps as it needs, also past rows that stay and rows of one time', async () => {
  const policy = await policies.create(app.ctx, {
    name: 'Long',
    maxDeactivations: 1,
    deactivationWindowDays: 3000,
  });
  const at = ago(2900 * DAY);
  await insert('license_activations', [
    ...Array.from({ length: 600 }, () => activation(at, 'CLIENT')),
    ...Array.from({ length: 700 }, () => activation(ago(2800 * DAY), 'CHECKIN')),
  ]);
  await insert(
    'license_usage',
    Array.from({ length: 1100 }, (_, index) => usage(`key-${index}`, ago(index % 2 === 0 ? 0 : 2 * DAY))),
  );
  await insert(
    'license_observations',
    Array.from({ length: 1100 }, (_, index) => observation('2020-01-01T00:00:00.000Z', 'CHURN', `v${index}`)),
  );
  await insert(
    'license_requests',
    Array.from({ length: 500 }, () => request(ago(31 * DAY))),
  );
  expect((await run()).result).toEqual({
    ...none,
    activations: 700,
    idempotencyKeys: 550,
    requests: expect.any(Number),
    observations: 1100,
  });
  expect(await count('license_requests', {})).toBeLessThan(3);
  await policies.remove(app.ctx, policy.id);
});
