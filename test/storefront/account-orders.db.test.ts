// Carts, orders and accounts: what comes along at the sign-in, whose an order is, and orders of a guest that are claimed.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { claimGuestOrders } from '#storefront/orders/orders/index.ts';
import { credentials, find } from '#storefront/people/customers/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { tokenIn } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';
import { processesOf } from '../support/processes.ts';
import { customerClient, openJson, PASSWORD, registered } from './customer-client.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop();
});
afterAll(() => shop.app.close());

const finding = (id: string) =>
  checks
    .find((one) => one.id === id)
    ?.run({ opened: { ctx: shop.app.ctx, current: true } } as unknown as CheckScope);

it('merges the cart of the browser at the sign-in, and orders as the customer', async () => {
  const { email, id } = await registered(shop.app);
  const variant = await shop.stocked(9);
  const client = await openJson(shop.app);
  await client.data('/api/store/cart/add', 'POST', { variant_id: variant, quantity: 2 });
  const { cart_merge } = await client.data<{ cart_merge: object }>('/api/shop/auth/login', 'POST', {
    email,
    password: PASSWORD,
  });
  expect(cart_merge).toEqual({ moved: 1, capped: [] });
  expect((await client.browser.open('/shop/checkout')).text).toContain('action="/shop/checkout');
  const { email: _said, ...sent } = shop.order('fake');
  await client.data('/api/store/cart/add', 'POST', { variant_id: variant, quantity: 1 });
  const { order } = await client.data<{ order: { order_number: string } }>('/api/store/checkout', 'POST', {
    ...sent,
    email,
  });
  const row = await shop.knex()('orders').where({ order_number: order.order_number }).first();
  expect(row).toMatchObject({ customer_id: id, item_count: 3 });
  expect(await find(shop.app.ctx, id)).toMatchObject({ orderCount: 1, isGuest: false });
});

it('fills in the address of the account at the checkout', async () => {
  const ann = await customerClient(shop.app);
  await ann.data('/api/store/cart/add', 'POST', { variant_id: await shop.stocked(3), quantity: 1 });
  const { text } = await ann.browser.open('/shop/checkout');
  expect(text).toContain(`value="${ann.email}"`);
  expect(text).not.toContain('Already have an account?');
});

it('merges once when two requests sign in at once', async () => {
  const { id: customerId } = await registered(shop.app);
  const owner = { customerId: null, sessionKey: 'twice-at-once'.padEnd(64, '-') };
  await carts.add(shop.app.ctx, owner, { variantId: await shop.stocked(9), quantity: 3 });
  const contexts = processesOf(shop.app, 4);
  const merged = await Promise.all(
    contexts.map((ctx) => carts.merge(ctx, { sessionKey: owner.sessionKey, customerId })),
  );
  expect(merged.map(({ moved }) => moved).sort()).toEqual([0, 0, 0, 1]);
  const { lines } = await carts.get(shop.app.ctx, { customerId, sessionKey: null });
  expect(lines.map(({ line }) => line.quantity)).toEqual([3]);
});

it('offers orders of a guest once the address is proven, and moves them once', async () => {
  const email = 'guest-first@x.test';
  const variant = await shop.stocked(9);
  const guests = await shop.placed(variant, 1, 'fake', { email });
  await shop.placed(variant, 2, 'offline', { email });
  const ann = await customerClient(shop.app, { email });
  const row = () => shop.knex()('orders').where({ order_number: guests.order_number }).first();
  expect((await row()).customer_id).not.toBe(ann.id);
  expect((await ann.browser.open('/shop/account')).text).toContain('before you had an account: 2');
  const contexts = processesOf(shop.app, 3);
  await runJob(shop.app.ctx, 'count-reports');
  const claimed = await Promise.all(contexts.map((ctx) => claimGuestOrders(ctx, ann.id)));
  expect(claimed.map(({ orders }) => orders).sort()).toEqual([0, 0, 2]);
  expect((await row()).customer_id).toBe(ann.id);
  expect(await find(shop.app.ctx, ann.id)).toMatchObject({ orderCount: 2 });
  expect((await ann.browser.open('/shop/account')).text).not.toContain('before you had an account');
  // Reports count them for the account: the guest has none any more.
  await runJob(shop.app.ctx, 'count-reports');
  const ofAnn = { grain: 'day', customer_id: ann.id };
  const counted = await shop.knex()('report_customers').where(ofAnn).sum({ orders: 'orders' }).first();
  expect(Number(counted?.orders)).toBe(2);
  expect(await finding('store.reports')).toMatchObject({ status: 'ok' });
});

it('a second click on the button that adds orders says nothing wrong', async () => {
  const email = 'guest-twice@x.test';
  await shop.placed(await shop.stocked(9), 1, 'fake', { email });
  const ann = await customerClient(shop.app, { email });
  const { text } = await ann.browser.open('/shop/account');
  const click = (lang = '') =>
    ann.browser.post(`/shop/account/claim-orders${lang}`, { _csrf: tokenIn(text) });
  expect((await click()).headers.location).toBe('/shop/account?claimed=1');
  expect((await ann.browser.open('/shop/account?claimed=1')).text).toContain('added to your account: 1');
  expect((await click()).headers.location).toBe('/shop/account');
  expect((await click('?lang=de')).headers.location).toBe('/shop/account?lang=de');
});

it('claims nothing before the address is proven', async () => {
  const { id } = await registered(shop.app);
  await shop.app.ctx.tx((ctx) => credentials.change(ctx, id, { emailVerifiedAt: null }));
  await expect(claimGuestOrders(shop.app.ctx, id)).rejects.toMatchObject({
    details: { reason: 'EMAIL_NOT_VERIFIED' },
  });
});

it('makes an account of an order in one step', async () => {
  const shopper = await shop.withCart(await shop.stocked(3));
  const { order } = await shopper.data<{ order: { order_number: string } }>(
    '/checkout',
    shop.order('fake', { email: 'one-step@x.test' }),
  );
  const { text } = await shopper.browser.open(`/shop/checkout/success/${order.order_number}`);
  expect(text).toContain('action="/shop/register"');
  const path = `/shop/checkout/success/${order.order_number}`;
  const { text: page } = await shopper.browser.open(path);
  const _csrf = [...page.matchAll(/name="_csrf" value="([^"]*)"/g)].at(-1)?.[1] ?? '';
  const sent = await shopper.browser.post('/shop/register', {
    _csrf,
    email: 'one-step@x.test',
    password: PASSWORD,
  });
  expect(sent.text).toContain('one-step@x.test');
});
