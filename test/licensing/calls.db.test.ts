// Calls of the license API: counted in memory by key, hour, day and duration, and written behind.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flushRequestHours, listCounted } from '#licensing/insight/requests/index.ts';
import { callsOfKeys, flushKeyHours } from '#licensing/insight/statistics/index.ts';
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
const flushBoth = async () => (await flushKeyHours(app.ctx)) + (await flushRequestHours(app.ctx));
const today = () => app.ctx.now().slice(0, 10);
const everyHour = { from: '2000-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
const callsToday = async () => {
  const counted = (await listCounted(app.ctx, everyHour, 'day')).filter(({ at }) => at === today());
  const sum = (name: 'requests' | 'refused') => counted.reduce((all, one) => all + one[name], 0);
  return { calls: sum('requests'), refused: sum('refused') };
};

it('are counted by API key for 24 hours and by tenant for a day, with their durations', async () => {
  const [busy, quiet] = [await app.apiKey('VALIDATE_ONLY'), await app.apiKey('VALIDATE_ONLY')];
  const { key } = await app.license();
  await flushBoth();
  const before = await callsToday();
  for (let i = 0; i < 3; i += 1) await validate(busy.secret, key);
  await app.post('/api/v1/license/validate', {}, busy.secret);
  expect((await callsOfKeys(app.ctx, [busy.id]))(busy.id)).toBe(0);
  expect(await flushKeyHours(app.ctx)).toBe(1);
  expect(await flushRequestHours(app.ctx)).toBeGreaterThan(0);
  const calls = await callsOfKeys(app.ctx, [busy.id, quiet.id]);
  expect([calls(busy.id), calls(quiet.id)]).toEqual([4, 0]);
  const after = await callsToday();
  expect(after.calls - before.calls).toBe(4);
  expect(after.refused - before.refused).toBe(1);
  expect(await flushBoth()).toBe(0);
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
  await flushKeyHours(app.ctx);
  await validate(secret, key);
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  await expect(flushKeyHours(failingCtx(app.ctx, () => away))).rejects.toBe(away);
  await validate(secret, key);
  await flushKeyHours(app.ctx);
  expect((await callsOfKeys(app.ctx, [id]))(id)).toBe(2);
});

it('are of the tenant whose key it is, and not for who sees some products alone', async () => {
  const other = await app.otherTenant();
  expect(await listCounted(other, everyHour, 'day')).toEqual([]);
  const product = await app.product();
  const { id, browser } = await member(app);
  expect((await browser.open('/admin/')).text).toContain('id="chart-durations-t"');
  await accounts.setScopes(app.ctx, id, { license_product: [product.id] });
  expect((await browser.open('/admin/')).text).not.toContain('id="chart-durations-t"');
  expect((await browser.open('/api/v1/admin/stats/durations')).status).toBe(403);
  for (const query of ['?from=x', '?format=xml', '?from=2010-01-01T00:00:00Z'])
    expect((await app.admin(`/stats/durations${query}`, viewer)).status).toBe(400);
});
