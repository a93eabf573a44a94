// What doctor says when money, stock or holds of the shop do not add up (storefront-domain 10).
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

let shop: OrderShop;
let order: { id: string };
let variantId: string;
beforeAll(async () => {
  shop = await openOrderShop();
  await shop.staff.data('/promotions', 'POST', {
    name: 'Sale',
    type: 'automatic',
    effect: 'percent',
    percent_bps: 1000,
    status: 'active',
  });
  variantId = await shop.stocked(9);
  order = await shop.placed(variantId, 2);
  await shop.staff.data(`/orders/${order.id}/refunds`, 'POST', {
    adjustment_cents: 100,
    reason: 'A scratch',
  });
  await shop.staff.data(`/orders/${order.id}/shipments`, 'POST', { ship_now: true });
  const cancelled = await shop.placed(variantId, 1);
  await shop.staff.data(`/orders/${cancelled.id}/cancel`, 'POST', { reason: 'Asked', refund: 'full' });
  await shop.placed(variantId, 1, 'offline');
  await shop.placed(variantId, 1, 'fake', { source_id: 'needs_action' });
  await giftCards.issue(shop.app.ctx, { amountCents: 5000, currency: 'USD', state: 'active' });
  await runJob(shop.app.ctx, 'count-reports');
});
afterAll(() => shop.app.close());

/** What tells rows apart where it is not their id. */
const keys: Readonly<Record<string, string>> = { inventory_levels: 'variant_id', counters: 'name' };

const finding = (id: string) =>
  checks
    .find((one) => one.id === id)
    ?.run({ opened: { ctx: shop.app.ctx, current: true } } as unknown as CheckScope);

it.each(['store.money', 'store.stock', 'store.holds', 'store.invoices', 'store.reports'])(
  '%s finds nothing in a shop that works',
  async (id) => {
    expect(await finding(id)).toMatchObject({ status: 'ok' });
  },
);

it.each([
  ['store.money', 'orders', { total_cents: 1 }, 'the total is not the sum'],
  ['store.money', 'orders', { tax_cents: 7 }, 'the total is not the sum'],
  ['store.money', 'order_adjustments', { amount_cents: 1 }, 'the discounts are not the sum'],
  ['store.money', 'orders', { paid_cents: 99_999 }, 'the paid amounts are not the sum'],
  ['store.money', 'orders', { refunded_cents: 0 }, 'the paid amounts are not the sum'],
  ['store.money', 'payments', { refunded_cents: 0 }, 'the refunded amount is not the sum'],
  ['store.stock', 'inventory_levels', { on_hand: 99 }, 'the stock is not the sum'],
  ['store.stock', 'inventory_levels', { reserved: 7 }, 'the stock is not the sum'],
  ['store.holds', 'gift_cards', { balance_cents: 1 }, 'the balance is not the sum'],
  ['store.holds', 'promotions', { used_count: 77 }, 'the uses are not those of orders'],
  ['store.holds', 'orders', { due_at: '2020-01-01T00:00:00.000Z' }, 'by orders that have ended'],
  ['store.reports', 'order_items', { quantity: 3 }, 'report figures do not match the orders'],
  ['store.invoices', 'counters', { value: 1009 }, '9 numbers of invoices were taken, and 3 are there'],
])('%s finds a fault in %s: %o', async (id, table, fault, words) => {
  const key = keys[table] ?? 'id';
  const change = (rows: readonly object[]) =>
    shop.app.ctx.tx(async ({ db: { knex } }) => {
      for (const row of rows as Record<string, unknown>[])
        await knex(table).where(key, String(row[key])).update(row);
    });
  const [name = ''] = Object.keys(fault);
  const before: Record<string, unknown>[] = await shop.knex()(table).select(key, name);
  await change(before.map((row) => ({ ...row, ...fault })));
  const broken = await finding(id);
  await change(before);
  expect(broken).toMatchObject({ status: 'fail', message: expect.stringContaining(words) });
  expect(await finding(id)).toMatchObject({ status: 'ok' });
});

it('store.reports finds a row of the tables that does not add up, and --fix counts all orders again', async () => {
  const tables = { grain: 'day', currency: 'USD' };
  await shop.app.ctx.tx(({ db: { knex } }) => knex('report_sales').where(tables).increment('total_cents', 7));
  expect(await finding('store.reports')).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('do not add up on'),
  });
  const scope = { opened: { ctx: shop.app.ctx, current: true } } as unknown as CheckScope;
  await checks.find((one) => one.id === 'store.reports')?.fix?.(scope);
  expect(await finding('store.reports')).toMatchObject({ status: 'ok' });
});
