// Reports say what looking at every order says, whatever has become of the orders.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { type Plain, plainReports, something } from './report-plain.ts';
import { ANN } from './shopper.ts';

type Row = Record<string, string | number | null>;
interface Report {
  rows: Row[];
  totals: Record<string, number>;
  compared: { totals: Record<string, number> } | null;
  series?: Row[];
  counting: unknown;
}

const ZONE = 'America/New_York';
let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop({ pins: { timezone: ZONE } });
});
afterAll(() => shop.app.close());

const report = async (name: string, query: Record<string, string>): Promise<Report> =>
  (await shop.staff.data(`/reports/${name}?${new URLSearchParams(query)}`)) as unknown as Report;
const count = () => runJob(shop.app.ctx, 'count-reports');

/** Numbers that are the same each time. */
function numbers(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const COUNTRIES = ['US', 'DE', 'FR'];

/** Some weeks of a shop. @returns ids of what was sold */
async function trade(seed: number, orders: number): Promise<void> {
  const next = numbers(seed);
  const variants = [await shop.stocked(500), await shop.stocked(500), await shop.stocked(500)];
  for (let at = 0; at < orders; at++) {
    shop.app.clock.advance(next(20) * 3600 + next(3600));
    const processor = next(3) === 0 ? 'offline' : 'fake';
    const country = COUNTRIES[next(3)] as string;
    const address = { ...ANN, country, ...(country !== 'US' && { state: null, postal_code: '10115' }) };
    const placed = await shop.placed(variants[next(3)] as string, 1 + next(3), processor, {
      email: `buyer-${next(6)}@example.test`,
      shipping_address: address,
    });
    await happen(placed.id, processor, next, variants);
    if (next(4) === 0) await count();
  }
}

async function happen(id: string, processor: string, next: (below: number) => number, variants: string[]) {
  const order = (await shop.staff.data(`/orders/${id}`)) as unknown as {
    due_cents: number;
    items: { id: string }[];
  };
  const change = (path: string, body: object) => shop.staff.send(`/orders/${id}/${path}`, 'POST', body);
  shop.app.clock.advance(next(40) * 3600);
  if (processor === 'offline' && next(2) === 0)
    await change('payments', { amount_cents: order.due_cents, method: 'cash' });
  const item = order.items[0]?.id as string;
  switch (next(6)) {
    case 0:
      await change('cancel', { reason: 'Asked', refund: next(2) === 0 ? 'full' : 'none', restock: true });
      break;
    case 1:
      await change('refunds', { items: [{ order_item_id: item, quantity: 1 }], reason: 'Broken' });
      shop.app.clock.advance(next(30) * 3600);
      await change('refunds', { shipping_cents: 100, adjustment_cents: 50, reason: 'Late' });
      break;
    case 2:
      await change('edit', {
        add: [{ variant_id: variants[next(3)], quantity: 1, unit_cents: 700 + next(900) }],
      });
      break;
    case 3:
      await change('edit', { update: [{ order_item_id: item, quantity: 1 }], settle: 'none' });
      await change('refunds', { adjustment_cents: 40, reason: 'Credit' });
      break;
    default:
  }
}

const days = async (): Promise<{ from: string; to: string }> => {
  const row = await shop.knex()('orders').whereNotNull('placed_at').min({ first: 'placed_at' }).first();
  const dayBefore = new Date(Date.parse(String(row?.first)) - 86_400_000).toISOString().slice(0, 10);
  return { from: dayBefore, to: shop.app.ctx.now().slice(0, 10) };
};

/** The rows of the daily tables, by day and key. */
async function stored(table: string, key: string | null, sums: string[]): Promise<Plain> {
  const rows: Row[] = await shop.knex()(table).where({ grain: 'day', currency: 'USD' });
  const plain: Plain = {};
  for (const row of rows) {
    const name = key === null ? String(row.period) : `${row.period} ${row[key]}`;
    const into = (plain[name] ??= {});
    for (const one of sums) into[one] = (into[one] ?? 0) + Number(row[one]);
  }
  return something(plain);
}

const SALES = ['orders', 'cancelled', 'units', 'gross_cents', 'discount_cents', 'shipping_cents'].concat([
  'tax_cents',
  'total_cents',
  'refunds_cents',
  'gift_cards_cents',
]);

/** The tables are what every order says. */
async function expectTables(zone: string): Promise<void> {
  const plain = await plainReports(shop.knex(), zone, 'USD');
  expect(await stored('report_sales', null, SALES)).toEqual(something(plain.sales));
  expect(await stored('report_products', 'variant_id', ['units', 'total_cents', 'refunds_cents'])).toEqual(
    something(plain.products),
  );
  const places = ['orders', 'total_cents', 'tax_cents', 'refunds_cents'];
  expect(await stored('report_countries', 'country', places)).toEqual(something(plain.countries));
  const money = ['payments', 'takings_cents', 'refunds', 'refunds_cents'];
  expect(await stored('report_payments', 'processor', money)).toEqual(something(plain.payments));
}

describe('after weeks of orders, payments, edits, refunds and cancellations', () => {
  beforeAll(async () => {
    await trade(7, 24);
  }, 240_000);

  it('a reader sees what no job has counted yet', async () => {
    const plain = await plainReports(shop.knex(), ZONE, 'USD');
    const { rows, totals } = await report('sales', { ...(await days()), group: 'day' });
    const told: Plain = Object.fromEntries(
      rows.map(({ period, net_cents: _, ...figures }) => [String(period), figures as Record<string, number>]),
    );
    expect(something(told)).toEqual(something(plain.sales));
    const all = Object.values(plain.sales);
    for (const name of SALES)
      expect([name, totals[name]]).toEqual([name, all.reduce((sum, one) => sum + (one[name] ?? 0), 0)]);
    expect(
      all.some((one) => (one.cancelled ?? 0) > 0) && all.some((one) => (one.refunds_cents ?? 0) > 0),
    ).toBe(true);
  });

  it('the tables hold the same when the job has run, and the reader says the same as before', async () => {
    const asked = { ...(await days()), group: 'week' };
    const before = await report('sales', asked);
    await count();
    expect(await shop.knex()('report_changes')).toEqual([]);
    await expectTables(ZONE);
    expect(await report('sales', asked)).toEqual(before);
  });

  it('running it again changes nothing', async () => {
    const { changes } = await shop.app.changesBy(count);
    expect(Object.keys(changes.rows).filter((table) => table.startsWith('report_'))).toEqual([]);
  });

  it('weeks and months are the sums of their days', async () => {
    const range = await days();
    const byDay = await report('sales', { ...range, group: 'day' });
    for (const group of ['week', 'month']) {
      const { rows, totals } = await report('sales', { ...range, group });
      expect(totals).toEqual(byDay.totals);
      const net = rows.reduce((sum, row) => sum + Number(row.net_cents), 0);
      expect(net).toBe(byDay.totals.net_cents);
    }
  });

  it('products, countries, payments and customers come to the same as the sales', async () => {
    const range = await days();
    const { totals: sales } = await report('sales', range);
    const [products, countries, payments, customers] = await Promise.all(
      ['products', 'countries', 'payments', 'customers'].map((name) => report(name, range)),
    );
    expect(countries?.totals).toMatchObject({ orders: sales.orders, net_cents: sales.net_cents });
    expect(products?.totals).toMatchObject({ units: sales.units, gross_cents: sales.gross_cents });
    expect(customers?.totals).toMatchObject({ orders: sales.orders, total_cents: sales.total_cents });
    const { new_orders: fresh = 0, returning_orders: returning = 0 } = customers?.totals ?? {};
    expect(fresh + returning).toBe(sales.orders);
    const [taken] = await shop
      .knex()('payments')
      .where('captured_cents', '>', 0)
      .sum({ cents: 'captured_cents' });
    expect(payments?.totals.takings_cents).toBe(Number(taken?.cents));
  });

  it.each([3, 40, 400, 3000])(
    'best sellers and buyers of %i days are the first rows of all of them',
    async (days) => {
      const to = shop.app.ctx.now().slice(0, 10);
      const from = new Date(Date.parse(to) - days * 86_400_000).toISOString().slice(0, 10);
      for (const [name, figure, key] of [
        ['products', 'total', 'variant_id'],
        ['customers', 'total', 'name'],
      ] as const) {
        const { text } = await shop.staff.send(`/reports/${name}/export.csv?from=${from}&to=${to}`);
        const [head = '', ...lines] = text.trim().split(/\r?\n/);
        const names = head.split(',');
        const all = lines.map((line) => line.split(','));
        const of = (row: string[], column: string) => row[names.indexOf(column)];
        const { rows } = await report(name, { from, to, limit: '2' });
        expect(rows.length).toBe(Math.min(2, all.length));
        expect(rows.map((row) => [row[key], row[`${figure}_cents`], row.orders])).toEqual(
          all
            .slice(0, 2)
            .map((row) => [
              of(row, key),
              Math.round(Number(of(row, figure)) * 100),
              Number(of(row, 'orders')),
            ]),
        );
      }
    },
  );

  it('counted in the days of another zone, all of it is there again', async () => {
    const { totals } = await report('payments', await days());
    const { begin } = await import('#storefront/tools/reports/fold.ts');
    await begin(shop.app.ctx, true);
    expect((await report('sales', await days())).counting).toMatchObject({ done: 0 });
    await count();
    await expectTables(ZONE);
    expect((await report('payments', await days())).totals).toEqual(totals);
    expect((await report('sales', await days())).counting).toBeNull();
  });
});

it('a range without orders has its periods, and compares with the one before', async () => {
  const { rows, totals, compared } = await report('sales', {
    from: '2031-02-27',
    to: '2031-03-02',
    group: 'day',
    compare: 'previous',
  });
  expect(rows.map(({ period }) => period)).toEqual(['2031-02-27', '2031-02-28', '2031-03-01', '2031-03-02']);
  expect(totals.net_cents).toBe(0);
  expect(compared).toMatchObject({ from: '2031-02-23', to: '2031-02-26', totals: { orders: 0 } });
});

it('what is no range is refused, each with its field', async () => {
  const refused = async (name: string, query: Record<string, string>): Promise<[number, unknown, string]> => {
    const { status, body } = await shop.staff.send(`/reports/${name}?${new URLSearchParams(query)}`);
    return [status, body.error_code, JSON.stringify(body.details ?? body.error)];
  };
  const whole = { from: '2026-01-01', to: '2026-01-31' };
  for (const [query, field] of [
    [{ ...whole, from: '2026-02-01' }, 'from'],
    [{ ...whole, from: '1990-01-01', to: '2026-01-01' }, 'from'],
    [{ ...whole, from: '2026-02-31' }, 'from'],
    [{ ...whole, to: 'tomorrow' }, 'to'],
    [{ ...whole, to: '9999-12-31' }, 'to'],
    [{ ...whole, group: 'hour' }, 'group'],
    [{ ...whole, from: '2020-01-01', group: 'day' }, 'group'],
    [{ ...whole, channel: 'phone' }, 'channel'],
    [{ ...whole, currency: 'dollars' }, 'currency'],
    [{ ...whole, compare: 'never' }, 'compare'],
  ] as const) {
    const [status, code, said] = await refused('sales', query);
    expect([status, code], JSON.stringify(query)).toEqual([400, 'VALIDATION_ERROR']);
    expect(said).toContain(field);
  }
  expect((await refused('sales', { from: '2026-01-01' })).slice(0, 2)).toEqual([
    400,
    'VALIDATION_MISSING_FIELD',
  ]);
  expect((await refused('products', { limit: '1001' })).slice(0, 2)).toEqual([400, 'VALIDATION_ERROR']);
  expect((await refused('nothing', {}))[0]).toBe(404);
});
