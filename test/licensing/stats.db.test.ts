// Who needs more seats (licensing 6.10): seats in use, and who was refused one; and the figures of the day.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { seatUse } from '#licensing/insight/reports/index.ts';
import { flushDailyTotals, flushStatistics } from '#licensing/insight/statistics/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type MadeKey, type MadeLicense, startApp, type TestApp } from '../support/app.ts';

const DAY = 86_400;
const page = { page: 1, limit: 50 };

let app: TestApp;
let key: string;
let token: MadeKey;
beforeAll(async () => {
  app = await startApp();
  key = (await app.apiKey('FULL_ADMIN')).secret;
  token = await app.adminToken('viewer');
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

/** What GET /stats/denials answers. */
const ask = async (query: Record<string, string>, as = token) => {
  const { status, body } = await app.admin(`/stats/denials?${new URLSearchParams(query)}`, as);
  const items = (body.items ?? []) as unknown as Record<string, unknown>[];
  return { status, body, items, total: (body.pagination as { total: number } | undefined)?.total };
};

describe('refusals', () => {
  let slug: string;
  let productId: string;
  let often: MadeLicense;
  let once: MadeLicense;
  let other: MadeLicense;
  beforeAll(async () => {
    ({ id: productId, slug } = await app.product());
    const customerEmail = '=ann@x.test';
    often = await app.license({ productId, customerEmail });
    once = await app.license({ productId, customerEmail });
    other = await app.license({ customerEmail: 'bob@x.test' });
    for (const license of [often, once, other]) await send('activate', license.key, 'machine-0001');
    for (const machine of ['machine-0002', 'machine-0003']) await send('activate', often.key, machine);
    app.clock.advance(DAY);
    await send('activate', often.key, 'machine-0003');
    await send('activate', once.key, 'machine-0002');
    await send('activate', other.key, 'machine-0002');
    await flushStatistics(app.ctx);
  });

  it('since a day, most first, each machine once over all days', async () => {
    const denials = async (days: number) =>
      (await ask({ productId: slug, from: ago(days) })).items.map((item) => [
        item.licenseId,
        item.denied,
        item.days,
        item.distinctMachines,
        item.licenses,
        item.seatsTotal,
      ]);
    expect(await denials(0.001)).toEqual([often, once].map(({ id }) => [id, 1, 1, 1, 1, 1]).sort());
    expect(await denials(1)).toEqual([
      [often.id, 3, 2, 2, 1, 1],
      [once.id, 1, 1, 1, 1, 1],
    ]);
    const yesterday = await ask({ productId: slug, from: ago(1), to: `${ago(0).slice(0, 10)}T00:00:00Z` });
    expect(yesterday.items.map(({ licenseId, denied }) => [licenseId, denied])).toEqual([[often.id, 2]]);
    expect([yesterday.body.from, yesterday.body.to]).toEqual([ago(1).slice(0, 10), ago(1).slice(0, 10)]);
  });

  it('by customer and by product, of at least so many, page by page', async () => {
    const byCustomer = await ask({ groupBy: 'customer', productId: slug });
    expect(byCustomer.items).toEqual([
      {
        licenseId: null,
        keyPrefix: null,
        customerId: expect.stringMatching(/^cus_/),
        customerEmail: '=ann@x.test',
        productId: null,
        productSlug: null,
        licenses: 2,
        seatsTotal: 2,
        denied: 4,
        days: 2,
        // One machine was refused by both licenses.
        distinctMachines: 2,
        firstDeniedAt: expect.any(String),
        lastDeniedAt: expect.any(String),
      },
    ]);
    const byProduct = await ask({ groupBy: 'product' });
    expect(byProduct.items.map((item) => [item.productSlug, item.denied, item.licenses])).toEqual([
      [slug, 4, 2],
      [expect.any(String), 1, 1],
    ]);
    expect((await ask({ minCount: '2' })).items.map(({ licenseId }) => licenseId)).toEqual([often.id]);
    const second = await ask({ limit: '1', page: '2', productId: slug });
    expect([second.items.map(({ licenseId }) => licenseId), second.total]).toEqual([[once.id], 2]);
  });

  it('of another code only what that code refused', async () => {
    expect((await ask({ code: 'LICENSE_EXPIRED' })).items).toEqual([]);
    expect((await ask({ code: 'SEATS_EXHAUSTED' })).total).toBe(3);
  });

  it('as CSV, all of them, formulas escaped, and the audit log remembers it', async () => {
    const { result, changes } = await app.changesBy(() =>
      app.admin(`/stats/denials?format=csv&limit=1&productId=${slug}`, token),
    );
    expect(result.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(result.headers['content-disposition']).toMatch(/^attachment; filename="denials-[\d-]+\.csv"$/);
    const [head, ...lines] = result.text.trim().split('\r\n');
    expect(head).toBe(
      'licenseId,keyPrefix,customerId,customerEmail,productId,productSlug,licenses,seatsTotal,denied,days,distinctMachines,firstDeniedAt,lastDeniedAt',
    );
    expect(lines.map((line) => [line.slice(0, 30), line.includes(",'=ann@x.test,")])).toEqual([
      [often.id, true],
      [once.id, true],
    ]);
    expect(changes.events).toEqual(['EXPORTED']);
  });

  it('are confined to the products and the tenant of whoever asks', async () => {
    const scoped = await app.adminToken('viewer', { productIds: [productId] });
    expect((await ask({}, scoped)).total).toBe(2);
    expect((await ask({ groupBy: 'customer' }, scoped)).items.map(({ denied }) => denied)).toEqual([4]);
    const file = await app.admin('/stats/denials?format=csv', scoped);
    expect(file.text).not.toContain('bob@x.test');
    const foreign = await app.adminToken('viewer', {}, await app.otherTenant());
    expect([(await ask({}, foreign)).total, (await ask({ productId: slug }, foreign)).status]).toEqual([
      0, 404,
    ]);
  });

  it.each([
    [{ productId: 'no-such' }, 404],
    [{ from: 'yesterday' }, 400],
    [{ from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' }, 400],
    [{ from: '2020-03-02T00:00:00Z' }, 400],
    [{ code: 'seats exhausted' }, 400],
    [{ minCount: '0' }, 400],
    [{ groupBy: 'tenant' }, 400],
    [{ format: 'xml' }, 400],
    [{ colour: 'red' }, 400],
  ])('%o is answered with %i', async (query, status) => {
    expect((await ask(query)).status).toBe(status);
  });
});

describe('the figures of the day', () => {
  const figures = async (as: MadeKey, query = '') => (await app.admin(`/stats/overview${query}`, as)).body;
  let tenant: Ctx;
  let all: MadeKey;
  let part: MadeKey;
  beforeAll(async () => {
    tenant = await app.otherTenant();
    const [mine, theirs] = [await app.product({}, tenant), await app.product({}, tenant)];
    all = await app.adminToken('viewer', {}, tenant);
    part = await app.adminToken('viewer', { productIds: [mine.id] }, tenant);
    const secret = (await app.apiKey('FULL_ADMIN', {}, tenant)).secret;
    const call = (action: string, { key: licenseKey }: MadeLicense, machineId: string) =>
      app.post(`/api/v1/license/${action}`, { licenseKey, machineId }, secret);
    const soon = new Date(app.clock.epochMs() + 10 * DAY * 1000).toISOString();
    for (const { id: productId } of [mine, theirs]) {
      const plain = await app.license({ productId }, tenant);
      const floating = await app.license({ productId, type: 'FLOATING', maxActivations: 5 }, tenant);
      const ending = await app.license({ productId, type: 'SUBSCRIPTION', validUntil: soon }, tenant);
      const revoked = await app.license({ productId }, tenant);
      const trashed = await app.license({ productId }, tenant);
      await licenses.revoke(tenant, { licenseId: revoked.id }, null);
      await call('activate', trashed, 'machine-0009');
      await licenses.trash(tenant, trashed.id, null);
      await call('activate', plain, 'machine-0001');
      await call('activate', plain, 'machine-0002');
      await call('validate', plain, 'machine-0001');
      await call('validate', ending, 'machine-0001');
      await call('checkout', floating, 'machine-0001');
    }
    await flushDailyTotals(app.ctx);
  });

  it('are those of the tenant', async () => {
    const { success, at, from, to, days, ...rest } = await figures(all);
    expect([success, at, to]).toEqual([true, ago(0), ago(0).slice(0, 10)]);
    expect(rest).toEqual({
      licenses: {
        total: 8,
        byStatus: { ACTIVE: 6, EXPIRED: 0, SUSPENDED: 0, REVOKED: 2 },
        expiringIn30Days: 2,
        newThisMonth: 8,
      },
      activeMachines: 2,
      seats: { used: 2, limit: 10 },
      denialsIn30Days: expect.any(Number),
    });
    const listed = days as unknown as { day: string; validations: number; denials: number }[];
    expect(listed.map(({ day }) => day)).toEqual([...new Set(listed.map(({ day }) => day))].sort());
    expect([listed[0]?.day, listed.at(-1)?.day]).toEqual([from, to]);
    expect(listed.at(-1)?.validations).toBe(4);
    expect(rest.denialsIn30Days).toBe(listed.reduce((sum, { denials }) => sum + denials, 0));
    expect(rest.denialsIn30Days).toBeGreaterThanOrEqual(2);
  });

  it('are halved for who sees one of two products, and foreign tenants count nothing', async () => {
    const [whole, half] = [await figures(all), await figures(part)];
    expect(half).toMatchObject({
      licenses: { total: 4, expiringIn30Days: 1, newThisMonth: 4 },
      activeMachines: 1,
      seats: { used: 1, limit: 5 },
      denialsIn30Days: Number(whole.denialsIn30Days) / 2,
    });
    const nobody = await figures(await app.adminToken('viewer', {}, await app.otherTenant()));
    expect(nobody).toMatchObject({
      licenses: { total: 0, newThisMonth: 0 },
      activeMachines: 0,
      seats: { used: 0, limit: 0 },
      denialsIn30Days: 0,
    });
  });

  it('list the days that are asked for, and refuse too many', async () => {
    const asked = await figures(all, '?from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z');
    const nothing = { validations: 0, denials: 0, heartbeats: 0 };
    expect(asked.days).toEqual([
      { day: '2026-01-01', ...nothing },
      { day: '2026-01-02', ...nothing },
    ]);
    for (const query of ['?from=2020-01-01T00:00:00Z', '?to=x', '?days=3'])
      expect((await app.admin(`/stats/overview${query}`, all)).status).toBe(400);
  });

  it('an ended term counts as expired at once', async () => {
    app.clock.advance(11 * DAY);
    expect(await figures(all)).toMatchObject({
      licenses: { byStatus: { ACTIVE: 4, EXPIRED: 2 }, expiringIn30Days: 0 },
    });
  });

  it('what was counted of a product that is gone is forgotten', async () => {
    const { result } = await app.changesBy(async () => {
      const { id } = await app.product({}, tenant);
      const one = await app.license({ productId: id }, tenant);
      const secret = (await app.apiKey('FULL_ADMIN', {}, tenant)).secret;
      await app.post('/api/v1/license/validate', { licenseKey: one.key, machineId: 'm' }, secret);
      await licenses.trash(tenant, one.id, null);
      await licenses.purge(tenant, one.id);
      await products.remove(tenant, id);
      return flushDailyTotals(app.ctx);
    });
    expect([result, await flushDailyTotals(app.ctx)]).toEqual([0, 0]);
  });
});
