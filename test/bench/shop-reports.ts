// Reports over 200,000 orders of two years: each page and each JSON takes at most 300 ms, from the tables of sums alone.
//   node test/bench/shop-reports.ts [sqlite|postgres] [orders]
import type { Ctx } from '#kernel/context.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { orderAddressRecord, orderItemRecord, orderRecord } from '#storefront/orders/orders/record.ts';
import { paymentRecord } from '#storefront/orders/payments/record.ts';
import { shopCustomerRecord } from '#storefront/people/customers/record.ts';
import { begin, countChanges } from '#storefront/tools/reports/fold.ts';
import { REPORT_NAMES } from '#storefront/tools/reports/kinds/kinds.ts';
import { openBulkInsert } from './bulk-insert.ts';
import { seedDatabases } from './databases.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import type { Installation } from './seed.ts';
import { withInstance } from './seed.ts';
import { served } from './staff.ts';

const DAY_MS = 86_400_000;
const DAYS = 730;
const CUSTOMERS = 20_000;
const VARIANTS = 3000;
const AT_ONCE = 2000;
const TIMES = 9;
const MOST_MS = 300;
const COUNTRIES = ['US', 'US', 'US', 'DE', 'FR', 'GB', 'CA', 'NL', 'ES', 'JP'];

/** All columns that say nothing here. */
const blank = (record: { readonly columns: object }): Record<string, null> =>
  Object.fromEntries(Object.keys(record.columns).map((name) => [name, null]));

const amounts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));
const ORDER_AMOUNTS = amounts([
  'itemDiscountCents',
  'orderDiscountCents',
  'loyaltyDiscountCents',
  'shippingDiscountCents',
  'shippingTaxCents',
  'giftCardCents',
  'refundedCents',
  'shippingRefundedCents',
]);
const ITEM_AMOUNTS = amounts([
  'itemDiscountCents',
  'orderDiscountCents',
  'weightG',
  'fulfilledQuantity',
  'cancelledQuantity',
  'returnRequestedQuantity',
  'returnedQuantity',
  'refundedQuantity',
  'refundedCents',
  'position',
]);

type Rows = Record<string, unknown>[];

/** An order of two lines, paid by card. */
function orderRows(
  ctx: Ctx,
  n: number,
  count: number,
  startMs: number,
  customers: readonly string[],
  variants: readonly { id: string; product: string }[],
) {
  const at = new Date(startMs + Math.floor((n / count) * DAYS * DAY_MS)).toISOString();
  const id = ctx.newId(ids.order);
  const customerId = n % 2 === 0 ? (customers[(n * 7919) % customers.length] as string) : null;
  const times = { createdAt: at, updatedAt: at };
  const items = [0, 1].map((line) => {
    const cents = 1500 + ((n + line * 13) % 70) * 100;
    const tax = Math.round(cents * 0.19);
    const variant = variants[(n * 31 + line * 977) % variants.length] as { id: string; product: string };
    return {
      ...blank(orderItemRecord),
      ...ITEM_AMOUNTS,
      ...times,
      id: ctx.newId(ids.orderItem),
      orderId: id,
      position: line,
      variantId: variant.id,
      productId: variant.product,
      sku: `S-${n % variants.length}`,
      title: 'Thing',
      type: 'physical',
      unitCents: cents,
      quantity: 1,
      subtotalCents: cents,
      netCents: cents,
      taxCents: tax,
      totalCents: cents + tax,
      taxLines: [{ name: 'VAT', ppm: 190_000, cents: tax }],
      requiresShipping: true,
    };
  });
  const sum = (name: 'subtotalCents' | 'taxCents' | 'totalCents') =>
    items.reduce((all, one) => all + one[name], 0);
  const totalCents = sum('totalCents') + 500;
  const email = `buyer-${(n * 7919) % 60_000}@example.test`;
  const order = {
    ...blank(orderRecord),
    ...ORDER_AMOUNTS,
    ...times,
    id,
    orderNumber: `B${n}`,
    customerId,
    email,
    status: 'completed',
    paymentStatus: 'paid',
    fulfillmentStatus: 'delivered',
    currency: 'USD',
    locale: 'en',
    pricesIncludeTax: false,
    itemCount: 2,
    subtotalCents: sum('subtotalCents'),
    shippingCents: 500,
    taxCents: sum('taxCents'),
    totalCents,
    paidCents: totalCents,
    source: n % 10 === 0 ? 'admin' : 'web',
    tags: [],
    placedAt: at,
    paidAt: at,
    completedAt: at,
    version: 1,
  };
  return {
    order: orderRecord.write(order as never),
    items: items.map((one) => orderItemRecord.write(one as never)),
    address: orderAddressRecord.write({
      ...blank(orderAddressRecord),
      ...times,
      id: ctx.newId(ids.orderAddress),
      orderId: id,
      kind: 'shipping',
      line1: '-',
      city: '-',
      country: COUNTRIES[n % COUNTRIES.length],
    } as never),
    payment: paymentRecord.write({
      ...blank(paymentRecord),
      ...times,
      id: ctx.newId(ids.payment),
      orderId: id,
      processor: n % 3 === 0 ? 'paypal' : 'stripe',
      kind: 'card',
      status: 'captured',
      amountCents: totalCents,
      authorizedCents: 0,
      capturedCents: totalCents,
      refundedCents: 0,
      currency: 'USD',
    } as never),
  };
}

/** Writes the rows of a shop that took so many orders in two years. */
async function seedOrders(
  { dataDir, databaseUrl }: Installation,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  await withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    const bulk = await openBulkInsert(databaseUrl);
    const startMs = Date.parse(ctx.now()) - DAYS * DAY_MS;
    const now = ctx.now();
    const customers: Rows = Array.from({ length: CUSTOMERS }, (_, n) =>
      shopCustomerRecord.write(
        {
          ...blank(shopCustomerRecord),
          id: ctx.newId(ids.customer),
          email: `buyer-${n}@example.test`,
          status: 'active',
          acceptsMarketing: false,
          isGuest: false,
          taxExempt: false,
          orderCount: 0,
          spentCents: 0,
          createdAt: now,
          updatedAt: now,
        } as never,
        undefined,
      ),
    );
    await bulk.insert(new Map([['customers', customers]]) as never);
    const customerIds = customers.map(({ id }) => String(id));
    const variants = Array.from({ length: VARIANTS }, () => ({
      id: ctx.newId(ids.variant),
      product: ctx.newId(ids.shopProduct),
    }));
    for (let from = 0; from < count; from += AT_ONCE) {
      const made = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) =>
        orderRows(ctx, from + n, count, startMs, customerIds, variants),
      );
      await bulk.insert(
        new Map<string, Rows>([
          ['orders', made.map(({ order }) => order)],
          ['order_items', made.flatMap(({ items }) => items)],
          ['order_addresses', made.map(({ address }) => address)],
          ['payments', made.map(({ payment }) => payment)],
        ]) as never,
      );
      if ((from / AT_ONCE) % 20 === 0) say(`${from.toLocaleString('en')} orders`);
    }
    await bulk.finish();
  });
}

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] as number;

const RANGES = { month: 30, year: 365, all: 730 } as const;

async function measured(url: string, token: string, say: (line: string) => void): Promise<boolean> {
  const today = new Date().toISOString().slice(0, 10);
  const before = (days: number) => new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  let isRight = true;
  const row = async (name: string, path: string) => {
    const took: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      const start = performance.now();
      const reply = await fetch(new URL(path, url), { headers: { Authorization: `Bearer ${token}` } });
      const text = await reply.text();
      took.push(performance.now() - start);
      if (!reply.ok) throw new Error(`${path} was answered ${reply.status}: ${text.slice(0, 300)}`);
    }
    const [typical, most] = [median(took), Math.max(...took)];
    isRight &&= typical <= MOST_MS;
    say(
      `${name}: p50 ${typical.toFixed(0)} ms, longest ${most.toFixed(0)} ms${typical <= MOST_MS ? '' : '  MISSED'}`,
    );
  };
  for (const report of REPORT_NAMES)
    for (const [label, days] of Object.entries(RANGES)) {
      const range =
        report === 'inventory'
          ? `as_of=${before(days)}`
          : `from=${before(days)}&to=${today}&compare=previous`;
      await row(`${report} ${label}`, `/api/store/reports/${report}?${range}`);
    }
  await row('dashboard', '/api/store/dashboard?range=90d');
  return isRight;
}

const [kind = 'sqlite', count = '200000'] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${kind}: ${line}\n`);
const options = { licenses: 100, fewLicenses: 10 } as BenchOptions;
const seeded = await seedDatabases(kind as DatabaseKind, options);
try {
  const installation = seeded.installations.large;
  const { dataDir, databaseUrl } = installation;
  await seedOrders(installation, Number(count), say);
  const token = await withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    const start = performance.now();
    await begin(ctx, true);
    for (let again = 1; again > 0; ) again = (await countChanges(ctx)).again;
    say(`all orders counted in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return (await adminTokens.create(ctx, { name: 'bench', role: 'owner' })).secret;
  });
  const isRight = await served(installation, 'reports', (server) => measured(server.url, token, say));
  process.exitCode = isRight ? 0 : 1;
} finally {
  await seeded.remove();
}
