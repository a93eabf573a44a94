// Rows of a shop that took 200,000 orders in two years, written past the use cases: to place them takes an hour.
import type { Ctx } from '#kernel/context.ts';
import { cartRecord } from '#storefront/buying/cart/record.ts';
import { movementRecord } from '#storefront/catalog/inventory/record.ts';
import { ids } from '#storefront/contract/ids.ts';
import { orderAddressRecord, orderItemRecord, orderRecord } from '#storefront/orders/orders/record.ts';
import { paymentRecord } from '#storefront/orders/payments/record.ts';
import { shopCustomerRecord } from '#storefront/people/customers/record.ts';
import { openBulkInsert } from './bulk-insert.ts';
import { type Installation, withInstance } from './seed.ts';
import type { Row } from './seed-rows.ts';
import { openSql } from './sql.ts';

const DAY_MS = 86_400_000;
/** How long the shop has sold. */
export const DAYS = 730;
const CUSTOMERS = 20_000;
const AT_ONCE = 2000;
/** Carts of the last days; older ones expire. */
const CART_DAYS = 90;
const ON_HAND = 40;
const MOVEMENTS = 5;
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

type Rows = Row[];

/** Rows as a bulk insert takes them: what a record writes as text of JSON would be a text within JSON on Postgres. */
const unpacked = (rows: Rows): Rows =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(unpackedValue)));

const unpackedValue = ([name, value]: [string, Row[string]]): [string, Row[string]] => [
  name,
  typeof value === 'string' && /^[[{]/.test(value) ? JSON.parse(value) : value,
];

interface Variant {
  readonly id: string;
  readonly product: string;
}

/** Every second sale is of the best tenth of all. */
const sold = (variants: readonly Variant[], n: number): Variant =>
  variants[n % 2 === 0 ? n % Math.ceil(variants.length / 10) : n % variants.length] as Variant;

/** An order of two lines, paid by card. */
function orderRows(
  ctx: Ctx,
  n: number,
  count: number,
  startMs: number,
  customers: readonly string[],
  variants: readonly Variant[],
) {
  const at = new Date(startMs + Math.floor((n / count) * DAYS * DAY_MS)).toISOString();
  const id = ctx.newId(ids.order);
  const customerId = n % 2 === 0 ? (customers[(n * 7919) % customers.length] as string) : null;
  const times = { createdAt: at, updatedAt: at };
  const items = [0, 1].map((line) => {
    const cents = 1500 + ((n + line * 13) % 70) * 100;
    const tax = Math.round(cents * 0.19);
    const variant = sold(variants, n * 31 + line * 977);
    return {
      ...blank(orderItemRecord),
      ...ITEM_AMOUNTS,
      ...times,
      id: ctx.newId(ids.orderItem),
      orderId: id,
      position: line,
      variantId: variant.id,
      productId: variant.product,
      sku: 'S',
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
    returnStatus: 'none',
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

/** A cart that became nothing. */
const cartRow = (ctx: Ctx, at: string) =>
  cartRecord.write(
    {
      ...blank(cartRecord),
      id: ctx.newId(ids.cart),
      status: 'active',
      currency: 'USD',
      acceptsMarketing: false,
      seen: { items: [] },
      version: 1,
      lastActivityAt: at,
      createdAt: at,
      updatedAt: at,
    } as never,
    undefined,
  );

const customerRow = (ctx: Ctx, n: number) =>
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
      createdAt: ctx.now(),
      updatedAt: ctx.now(),
    } as never,
    undefined,
  );

/** What came in and went out of the stock of one variant. */
const movementRows = (ctx: Ctx, variantId: string, n: number, startMs: number): Rows =>
  Array.from({ length: MOVEMENTS }, (_, at) =>
    movementRecord.write({
      id: ctx.newId(ids.stockMovement),
      variantId,
      delta: at % 3 === 0 ? 30 : -5,
      onHandAfter: ON_HAND - (MOVEMENTS - 1 - at),
      reason: 'correction',
      orderId: null,
      returnId: null,
      actor: 'bench',
      note: null,
      createdAt: new Date(startMs + ((at + (n % 97) / 97) / MOVEMENTS) * DAYS * DAY_MS).toISOString(),
    } as never),
  );

/**
 * Writes the rows of a shop that took so many orders in two years: with its customers, carts of the last months, and the
 * stock of products that it has.
 */
export async function seedOrders(
  { dataDir, databaseUrl }: Installation,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  await withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    const bulk = await openBulkInsert(databaseUrl);
    const insert = (tables: Record<string, Rows>) =>
      bulk.insert(Object.entries(tables).map(([table, rows]) => [table, unpacked(rows)]));
    const startMs = Date.parse(ctx.now()) - DAYS * DAY_MS;
    const customers: Rows = Array.from({ length: CUSTOMERS }, (_, n) => customerRow(ctx, n));
    await insert({ customers });
    const customerIds = customers.map(({ id }) => String(id));
    const variants: Variant[] = await ctx.db
      .knex('product_variants')
      .orderBy('id')
      .select('id', { product: 'product_id' });
    for (let from = 0; from < count; from += AT_ONCE) {
      const made = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) =>
        orderRows(ctx, from + n, count, startMs, customerIds, variants),
      );
      await insert({
        orders: made.map(({ order }) => order),
        order_items: made.flatMap(({ items }) => items),
        order_addresses: made.map(({ address }) => address),
        payments: made.map(({ payment }) => payment),
      });
      if ((from / AT_ONCE) % 20 === 0) say(`${from.toLocaleString('en')} orders`);
    }
    for (let from = 0; from < count / 2; from += AT_ONCE)
      await insert({
        carts: Array.from({ length: AT_ONCE }, (_, n) =>
          cartRow(ctx, new Date(Date.now() - ((from + n) / (count / 2)) * CART_DAYS * DAY_MS).toISOString()),
        ),
      });
    for (let from = 0; from < variants.length; from += AT_ONCE)
      await insert({
        stock_movements: variants
          .slice(from, from + AT_ONCE)
          .flatMap(({ id }, n) => movementRows(ctx, id, from + n, startMs)),
      });
    await bulk.finish();
  });
  const sql = await openSql(databaseUrl);
  await sql.run('UPDATE inventory_levels SET on_hand = ?, track_inventory = TRUE', [String(ON_HAND)]);
  await sql.run('UPDATE product_variants SET cost_cents = price_cents / 2', []);
  await sql.close();
}
