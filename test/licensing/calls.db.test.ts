// Calls of the license API: counted in memory by key, hour, day and duration, and written behind.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callsOfKeys, flushCalls, listCallDays, percentile } from '#licensing/insight/statistics/index.ts';
import * as accounts from '#platform/accounts/index.ts';
import { member } from '../platform/panel/staff.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { failingCtx } from '../support/failing-ctx.ts';

let app: TestApp;
let viewer: MadeKey;
beforeAll(async () => {
  app = await startApp();
  viewer = await app.adminToken('viewer');
});
afterAll(() => app.close());

const validate = (secret: string, key: string) =>
  app.post('/api/v1/license/validate', { key, machineId: 'machine-0001' }, secret);
const today = () => app.ctx.now().slice(0, 10);
const callsToday = async () => {
  const [day] = await listCallDays(app.ctx, { from: today(), to: today() });
  return {
    calls: day?.calls ?? 0,
    failed: day?.failed ?? 0,
    timed: day?.steps.reduce((sum, n) => sum + n, 0),
  };
};

it('are counted by API key for 24 hours and by tenant for a day, with their durations', async () => {
  const [busy, quiet] = [await app.apiKey('VALIDATE_ONLY'), await app.apiKey('VALIDATE_ONLY')];
  const { key } = await app.license();
  await flushCalls(app.ctx);
  const before = await callsToday();
  for (let i = 0; i < 3; i += 1) await validate(busy.secret, key);
  await app.post('/api/v1/license/validate', {}, busy.secret);
  expect((await callsOfKeys(app.ctx, [busy.id]))(busy.id)).toBe(0);
  expect(await flushCalls(app.ctx)).toBe(2);
  const calls = await callsOfKeys(app.ctx, [busy.id, quiet.id]);
  expect([calls(busy.id), calls(quiet.id)]).toEqual([4, 0]);
  const after = await callsToday();
  expect(after.calls - before.calls).toBe(4);
  expect(after.failed - before.failed).toBe(1);
  expect(after.timed).toBe(after.calls);
  expect(await flushCalls(app.ctx)).toBe(0);
  const { body } = await app.admin('/stats/durations', viewer);
  const day = (body.days as unknown as { day: string; calls: number; p50: number; p99: number }[]).at(-1);
  expect(day).toMatchObject({ day: today(), calls: after.calls });
  expect(day?.p99).toBeGreaterThanOrEqual(day?.p50 ?? 0);
  app.clock.advance(25 * 3600);
  expect((await callsOfKeys(app.ctx, [busy.id]))(busy.id)).toBe(0);
});

it('wait for the next flush while the database is away, and none is lost or counted twice', async () => {
  const { id, secret } = await app.apiKey('VALIDATE_ONLY');
  const { key } = await app.license();
  await flushCalls(app.ctx);
  await validate(secret, key);
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  await expect(flushCalls(failingCtx(app.ctx, () => away))).rejects.toBe(away);
  await validate(secret, key);
  await flushCalls(app.ctx);
  expect((await callsOfKeys(app.ctx, [id]))(id)).toBe(2);
});

it('are of the tenant whose key it is, and not for who sees some products alone', async () => {
  const other = await app.otherTenant();
  expect(await listCallDays(other, { from: '2000-01-01', to: '2100-01-01' })).toEqual([]);
  const product = await app.product();
  const { id, browser } = await member(app);
  expect((await browser.open('/admin/')).text).toContain('id="chart-durations-t"');
  await accounts.setScopes(app.ctx, id, { license_product: [product.id] });
  expect((await browser.open('/admin/')).text).not.toContain('id="chart-durations-t"');
  expect((await browser.open('/api/v1/admin/stats/durations')).status).toBe(403);
  for (const query of ['?from=x', '?format=xml', '?from=2010-01-01T00:00:00Z'])
    expect((await app.admin(`/stats/durations${query}`, viewer)).status).toBe(400);
});

it('percentiles are read off the steps, evenly spread within each', () => {
  const none = new Array<number>(11).fill(0);
  const of = (counts: Record<number, number>) => none.map((_, at) => counts[at] ?? 0);
  expect(percentile(none, 50)).toBeNull();
  expect(percentile([], 99)).toBeNull();
  expect(percentile(of({ 2: 100 }), 50)).toBe(3.5);
  expect(percentile(of({ 0: 90, 4: 10 }), 50)).toBe(0.6);
  expect(percentile(of({ 0: 90, 4: 10 }), 95)).toBe(17.5);
  expect(percentile(of({ 0: 1, 10: 99 }), 99)).toBe(5000);
});
