// Reports in currencies without decimals and with three, and on days that are an hour shorter and longer than others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

interface Report {
  rows: Record<string, string | number | null>[];
  totals: Record<string, number>;
}

const reportOf = async (shop: OrderShop, name: string, query: Record<string, string>): Promise<Report> =>
  (await shop.staff.data(`/reports/${name}?${new URLSearchParams(query)}`)) as unknown as Report;

describe.each([
  ['JPY', { unit: '¥1,900', net: '¥4,300', file: '4300', cost: '¥950' }],
  ['BHD', { unit: 'BHD 1.900', net: 'BHD 4.300', file: '4.300', cost: 'BHD 0.950' }],
])('in %s', (currency, { net, file, cost }) => {
  let shop: OrderShop;
  let browser: Browser;
  beforeAll(async () => {
    shop = await openOrderShop({ pins: { currency_code: currency } });
    ({ browser } = await member(shop.app));
    const sku = 'COSTED';
    const variant = await shop.stocked(9, {
      variants: [{ sku, price_cents: 1900, stock: 9, cost_cents: 950 }],
    });
    await shop.placed(variant, 2);
  }, 240_000);
  afterAll(() => shop.app.close());

  const spaced = (text: string): string => textOf(text).replaceAll('\u00a0', ' ');
  const today = (): string => shop.app.ctx.now().slice(0, 10);

  it.each(['before', 'after'])(
    'amounts are minor units in JSON, and written as people do, %s it is counted',
    async (when) => {
      if (when === 'after') await runJob(shop.app.ctx, 'count-reports');
      const range = { from: today(), to: today() };
      // Two of 1900 and shipping of 500.
      expect((await reportOf(shop, 'sales', range)).totals).toMatchObject({ orders: 1, net_cents: 4300 });
      expect((await reportOf(shop, 'products', range)).rows).toMatchObject([{ units: 2, gross_cents: 3800 }]);
      expect((await reportOf(shop, 'payments', range)).totals).toMatchObject({ takings_cents: 4300 });
      const page = spaced((await browser.open('/store/reports/sales')).text);
      expect(page).toContain(net);
      expect(spaced((await browser.open('/store/?range=today')).text)).toContain(net);
      const { text } = await browser.open('/api/store/reports/sales/export.csv');
      const [head = '', ...lines] = text.trim().split(/\r?\n/);
      const column = head.split(',').indexOf('net');
      expect(lines.map((line) => line.split(',')[column])).toContain(file);
      expect(lines.at(-1)?.endsWith(currency)).toBe(true);
    },
  );

  it('stock is worth what it costs, and its age follows from when it came in', async () => {
    const { rows, totals } = await reportOf(shop, 'inventory', {});
    expect(rows).toMatchObject([
      { sku: 'COSTED', on_hand: 7, cost_cents: 950, value_cents: 6650, received_on: today(), age_days: 0 },
    ]);
    expect(totals).toEqual({ on_hand: 7, value_cents: 6650, without_cost: 0 });
    expect(spaced((await browser.open('/store/reports/inventory')).text)).toContain(cost);
    // The day before it came in nothing was on hand.
    const before = new Date(Date.parse(today()) - 86_400_000).toISOString().slice(0, 10);
    expect((await reportOf(shop, 'inventory', { as_of: before })).totals.on_hand).toBe(0);
    shop.app.clock.advance(100 * 86_400);
    const later = await reportOf(shop, 'inventory', {});
    expect(later.rows[0]).toMatchObject({ on_hand: 7, age_days: 100 });
    const past = new Date(Date.parse(today()) - 50 * 86_400_000).toISOString().slice(0, 10);
    expect((await reportOf(shop, 'inventory', { as_of: past })).rows[0]).toMatchObject({
      on_hand: 7,
      age_days: 50,
    });
  });
});

describe('on days on which clocks change', () => {
  let shop: OrderShop;
  let variant: string;
  beforeAll(async () => {
    shop = await openOrderShop({ pins: { timezone: 'America/New_York' } });
    variant = await shop.stocked(50);
  }, 240_000);
  afterAll(() => shop.app.close());

  const orderAt = async (at: string) => {
    shop.app.clock.advance((Date.parse(at) - Date.parse(shop.app.ctx.now())) / 1000);
    return shop.placed(variant);
  };
  const byDay = async (from: string, to: string) =>
    (await reportOf(shop, 'sales', { from, to, group: 'day' })).rows.map(({ period, orders }) => [
      period,
      orders,
    ]);

  it('orders of the last minute before midnight and of the first after it count on their days', async () => {
    // Of 23 hours, at five in the morning and at four in UTC.
    await orderAt('2026-03-08T04:59:00.000Z');
    await orderAt('2026-03-08T05:00:00.000Z');
    await orderAt('2026-03-09T03:59:00.000Z');
    await orderAt('2026-03-09T04:00:00.000Z');
    // Of 25 hours.
    await orderAt('2026-11-01T03:59:00.000Z');
    await orderAt('2026-11-01T04:00:00.000Z');
    // Half past one, twice.
    await orderAt('2026-11-01T05:30:00.000Z');
    await orderAt('2026-11-01T06:30:00.000Z');
    await orderAt('2026-11-02T04:59:00.000Z');
    await orderAt('2026-11-02T05:00:00.000Z');
    const spring = [
      ['2026-03-07', 1],
      ['2026-03-08', 2],
      ['2026-03-09', 1],
    ];
    const autumn = [
      ['2026-10-31', 1],
      ['2026-11-01', 4],
      ['2026-11-02', 1],
    ];
    for (const isCounted of [false, true]) {
      if (isCounted) await runJob(shop.app.ctx, 'count-reports');
      expect(await byDay('2026-03-07', '2026-03-09')).toEqual(spring);
      expect(await byDay('2026-10-31', '2026-11-02')).toEqual(autumn);
    }
    const months = await reportOf(shop, 'sales', { from: '2026-10-01', to: '2026-11-30', group: 'month' });
    expect(months.rows.map(({ period, orders }) => [period, orders])).toEqual([
      ['2026-10', 1],
      ['2026-11', 5],
    ]);
    const { totals } = await reportOf(shop, 'sales', { from: '2026-03-01', to: '2026-11-02' });
    expect(totals.orders).toBe(10);
  });
});
