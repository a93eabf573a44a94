// Who needs more seats (licensing 6.10): seats in use, and who was refused one.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seatDenials, seatUse } from '#licensing/insight/seat-reports/index.ts';
import { flushStatistics } from '#licensing/insight/statistics/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { codeOf } from '../support/refusal.ts';

const DAY = 86_400;
const page = { page: 1, limit: 50 };

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(() => app.close());

const send = (action: string, licenseKey: string, machineId: string) =>
  app.post(`/api/v1/license/${action}`, { licenseKey, machineId }, key);
const ago = (days: number) => new Date(app.clock.epochMs() - days * DAY * 1000).toISOString();

it('seats in use: floating licenses that are not revoked or in the trash, the fullest first, of one tenant', async () => {
  const { id: productId, slug } = await app.product();
  const floating = (maxActivations: number) => app.license({ productId, type: 'FLOATING', maxActivations });
  const [empty, full, revoked] = [await floating(3), await floating(2), await floating(1)];
  await app.license({ productId });
  await send('checkout', full.key, 'machine-0001');
  await send('checkout', full.key, 'machine-0002');
  await licenses.revoke(app.ctx, { licenseId: revoked.id }, null);
  const found = await seatUse(app.ctx, { ...page, product: slug });
  expect(found.items.map((item) => [item.licenseId, item.seatsUsed, item.seatsTotal])).toEqual([
    [full.id, 2, 2],
    [empty.id, 0, 3],
  ]);
  expect(found.pagination.total).toBe(2);
  const second = await seatUse(app.ctx, { page: 2, limit: 1, product: slug });
  expect(second.items.map(({ licenseId }) => licenseId)).toEqual([empty.id]);
  // A lease that ran out holds no seat, swept or not.
  app.clock.advance(3600);
  expect((await seatUse(app.ctx, { ...page, product: slug })).items.map((item) => item.seatsUsed)).toEqual([
    0, 0,
  ]);
  expect((await seatUse(await app.otherTenant(), page)).items).toEqual([]);
});

it('refusals: since a day, most first, each machine once over all days', async () => {
  const { id: productId, slug } = await app.product();
  const [often, once] = [await app.license({ productId }), await app.license({ productId })];
  for (const license of [often, once]) await send('activate', license.key, 'machine-0001');
  for (const machine of ['machine-0002', 'machine-0003']) await send('activate', often.key, machine);
  app.clock.advance(DAY);
  await send('activate', often.key, 'machine-0003');
  await send('activate', once.key, 'machine-0002');
  await flushStatistics(app.ctx);
  const denials = async (days: number) =>
    (await seatDenials(app.ctx, { ...page, product: slug, since: ago(days) })).items.map((item) => [
      item.licenseId,
      item.denied,
      item.days,
      item.distinctMachines,
    ]);
  const today = [often, once].map(({ id }) => [id, 1, 1, 1]).sort();
  expect(await denials(0)).toEqual(today);
  expect(await denials(1)).toEqual([
    [often.id, 3, 2, 2],
    [once.id, 1, 1, 1],
  ]);
  expect(await denials(-1)).toEqual([]);
  expect((await seatDenials(await app.otherTenant(), { ...page, since: ago(9) })).items).toEqual([]);
  expect(await codeOf(seatDenials(app.ctx, { ...page, product: 'no-such', since: ago(1) }))).toBe(
    'NOT_FOUND',
  );
});
