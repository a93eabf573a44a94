// Several processes that place orders at once number their invoices without a gap, also where some of them fail
// (storefront-domain 4.5, decision 0065).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as settings from '#platform/settings/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { invoiceDocument } from '#storefront/orders/documents/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import type { CheckoutWork } from '../support/checkout-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<CheckoutWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  await settings.set(instance.ctx, { key: 'payment_processor', value: 'offline' });
  rivals = await Promise.all(
    [1, 2].map(() => startRival<CheckoutWork, Tally>('checkout-process.ts', installation.cwd, database.url)),
  );
});
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

const knex = () => instance.database.db.knex;
const numbersOf = async (kind: string): Promise<string[]> =>
  (await knex()('invoices').where({ kind }).orderBy('invoice_number').pluck('invoice_number')) as string[];
const series = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${1001 + at}`);

it('each order has a number, each number an order, and none is left out', async () => {
  const { id } = await products.create(instance.ctx, {
    title: 'Paper',
    type: 'digital',
    status: 'active',
    variants: [{ sku: 'PAPER', priceCents: 1900, requiresShipping: false, stock: 24 }],
  });
  const variantId = (await products.getWhole(instance.ctx, id)).variants[0]?.id ?? '';
  const work: CheckoutWork = { name: 'paper', variantId, shoppers: 20 };
  const tallies = await Promise.all(rivals.map((one) => one.work(work)));
  const sum = (name: string) => tallies.reduce((all, one) => all + (one[name] ?? 0), 0);
  expect([sum('placed'), sum('OUT_OF_STOCK')]).toEqual([24, 16]);
  expect(await numbersOf('invoice')).toEqual(series('INV', 24));
}, 60_000);

it('credit notes of refunds at once have a series of their own', async () => {
  const { ctx } = instance;
  const ids = (await knex()('orders').whereNotNull('placed_at').orderBy('id').pluck('id')) as string[];
  for (const id of ids.slice(0, 6)) await payments.record(ctx, id, { amountCents: 1900, method: 'cash' });
  const refunds = ids.slice(0, 8).map((id) =>
    payments.refund(ctx, id, { adjustmentCents: 500, reason: 'Late' }).then(
      () => 'refunded',
      () => 'refused',
    ),
  );
  expect((await Promise.all(refunds)).filter((one) => one === 'refunded')).toHaveLength(6);
  expect(await numbersOf('credit_note')).toEqual(series('CN', 6));
}, 60_000);

it('an invoice that many ask for first, of an order of before there were any, is issued once', async () => {
  const { ctx } = instance;
  const last = await knex()('invoices').where({ invoice_number: 'INV1024' }).first('order_id');
  await ctx.tx(async ({ db }) => {
    await db.knex('invoices').where({ order_id: last.order_id, kind: 'invoice' }).delete();
    await db.knex('counters').where({ name: 'shop_invoice_number' }).update({ value: 1023 });
  });
  const files = await Promise.all([1, 2, 3, 4].map(() => invoiceDocument(ctx, last.order_id)));
  expect(new Set(files.map(({ fileName }) => fileName))).toEqual(new Set(['invoice-INV1024.pdf']));
  expect(await numbersOf('invoice')).toEqual(series('INV', 24));
}, 60_000);
