// A license that is renewed in the cart: the same key lasts longer, and nothing is minted (fulfilment 7).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { revoke } from '#licensing/licenses/licenses/index.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { setGrant } from '../../src/fulfilment/grants/index.ts';
import { renewalFor } from '../../src/fulfilment/renewals/index.ts';
import { type CustomerClient, customerClient } from '../storefront/customer-client.ts';
import type { PlacedShown } from '../storefront/shopper.ts';
import { tokenIn } from '../support/browser.ts';
import { type LicenseShop, openLicenseShop } from './license-shop.ts';

let shop: LicenseShop;
let ann: CustomerClient;
beforeAll(async () => {
  shop = await openLicenseShop();
  ann = await customerClient(shop.app);
}, 120_000);
afterAll(() => shop.app.close());

const words = (keyMasked: string) => `Renewal of ${keyMasked}`;

/** Puts the renewal of a license into Ann's cart. */
const putIntoCart = async (licenseId: string) =>
  carts.add(
    shop.app.ctx,
    { customerId: ann.id, sessionKey: null },
    await renewalFor(shop.app.ctx, licenseId, words),
  );

/** Puts it there, and orders it. */
async function renewed(licenseId: string): Promise<PlacedShown['order']> {
  await putIntoCart(licenseId);
  const sent = shop.order('fake', { email: ann.email });
  return (await ann.data<PlacedShown>('/api/store/checkout', 'POST', sent)).order;
}

const licenseOf = (id: string) =>
  shop.knex()('licenses').where({ id }).first('valid_until', 'status', 'max_activations') as Promise<{
    valid_until: string;
    status: string;
    max_activations: number;
  }>;
const first = async (orderId: string) => (await shop.mintsOf(orderId))[0]?.license_id ?? '';
const refund = (order: PlacedShown['order'], quantity = order.items[0]?.quantity) =>
  shop.staff.data(`/orders/${order.id}/refunds`, 'POST', {
    reason: 'returned',
    items: [{ order_item_id: order.items[0]?.id, quantity }],
  });

it('lasts longer by what was bought, with the same key; a refund takes that time back', async () => {
  const { variantId } = await shop.licensed({ type: 'SUBSCRIPTION', durationDays: 30 });
  const licenseId = await first((await shop.bought(variantId)).id);
  expect((await licenseOf(licenseId)).valid_until).toBe('2026-03-31T12:00:00.000Z');
  const { result: order, changes } = await shop.app.changesBy(() => renewed(licenseId));
  expect(changes.events.filter((type) => type.startsWith('LICENSE_'))).toEqual(['LICENSE_RENEWED']);
  expect((await licenseOf(licenseId)).valid_until).toBe('2026-04-30T12:00:00.000Z');
  expect(order.items[0]).toMatchObject({ variant_title: expect.stringContaining('Renewal of ') });
  expect(await shop.mintsOf(order.id)).toMatchObject([
    { license_id: null, renews: licenseId, renewed_days: 30, status: 'minted' },
  ]);
  // Nothing is missing of an order that has no license of its own.
  expect((await ann.browser.open(`/shop/account/orders/${order.order_number}`)).text).not.toContain(
    'being made',
  );
  await refund(order);
  expect((await licenseOf(licenseId)).valid_until).toBe('2026-03-31T12:00:00.000Z');
  expect(await shop.mintsOf(order.id)).toMatchObject([{ status: 'revoked', reason: 'REFUND' }]);
});

it('of seats asks for all of them, and gives back the share that is refunded', async () => {
  const { variantId } = await shop.licensed({
    type: 'FLOATING',
    quantityMode: 'seats',
    maxActivations: 5,
    durationDays: 30,
  });
  const licenseId = await first((await shop.bought(variantId, 2)).id);
  const before = (await licenseOf(licenseId)).valid_until;
  const days = async () =>
    (Date.parse((await licenseOf(licenseId)).valid_until) - Date.parse(before)) / 86_400_000;
  expect(await renewed(licenseId)).toMatchObject({ items: [{ quantity: 2 }] });
  expect(await days()).toBe(30);
  // Fewer units would be days for all seats.
  const { result } = await putIntoCart(licenseId);
  const fewer = { item_id: result.itemId, quantity: 1 };
  expect((await ann.refusal('/api/store/cart/update', 'POST', fewer)).slice(0, 2)).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  await ann.data('/api/store/cart/update', 'POST', { item_id: result.itemId, quantity: 4 });
  const sent = shop.order('fake', { email: ann.email });
  const { order } = await ann.data<PlacedShown>('/api/store/checkout', 'POST', sent);
  expect([await days(), (await licenseOf(licenseId)).max_activations]).toEqual([90, 10]);
  await refund(order, 1);
  expect(await days()).toBe(75);
  await refund(order, 3);
  expect(await days()).toBe(30);
});

it('gives what the grant says when it is ordered, at the price of then', async () => {
  const { variantId, licenseProduct } = await shop.licensed({ type: 'SUBSCRIPTION', durationDays: 365 });
  const licenseId = await first((await shop.bought(variantId)).id);
  const before = (await licenseOf(licenseId)).valid_until;
  await putIntoCart(licenseId);
  await setGrant(shop.app.ctx, variantId, {
    licenseProductId: licenseProduct.id,
    type: 'SUBSCRIPTION',
    tier: 'PERSONAL',
    durationDays: 30,
  });
  const sent = shop.order('fake', { email: ann.email });
  await ann.data<PlacedShown>('/api/store/checkout', 'POST', sent);
  const days = (Date.parse((await licenseOf(licenseId)).valid_until) - Date.parse(before)) / 86_400_000;
  expect(days).toBe(30);
});

it('is refused for what has no end, is a trial, was revoked or is not sold any more', async () => {
  const endless = await first((await shop.bought((await shop.licensed()).variantId)).id);
  await expect(renewalFor(shop.app.ctx, endless, words)).rejects.toThrow('it never expires');
  const trial = await first(
    (await shop.bought((await shop.licensed({ type: 'TRIAL', durationDays: 14 })).variantId)).id,
  );
  await expect(renewalFor(shop.app.ctx, trial, words)).rejects.toThrow('it is a trial');
  const { variantId, productId } = await shop.licensed({ type: 'SUBSCRIPTION', durationDays: 30 });
  const [gone, archived] = [
    await first((await shop.bought(variantId)).id),
    await first((await shop.bought(variantId)).id),
  ];
  await revoke(shop.app.ctx, { licenseId: gone }, null);
  await expect(renewalFor(shop.app.ctx, gone, words)).rejects.toThrow('it was revoked');
  await shop.staff.data(`/products/${productId}/archive`, 'POST', {});
  await expect(renewalFor(shop.app.ctx, archived, words)).rejects.toThrow('no longer sold');
});

it('that was revoked while it was paid for stays revoked: the order says what is missing', async () => {
  const { variantId } = await shop.licensed({ type: 'SUBSCRIPTION', durationDays: 30 });
  const licenseId = await first((await shop.bought(variantId)).id);
  const { fulfilment, ...line } = await renewalFor(shop.app.ctx, licenseId, words);
  await carts.add(shop.app.ctx, { customerId: ann.id, sessionKey: null }, { ...line, fulfilment });
  const sent = shop.order('offline', { email: ann.email });
  const { order } = await ann.data<PlacedShown>('/api/store/checkout', 'POST', sent);
  await carts.add(shop.app.ctx, { customerId: ann.id, sessionKey: null }, { ...line, fulfilment });
  await revoke(shop.app.ctx, { licenseId }, null);
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
    amount_cents: order.total_cents,
    method: 'cash',
  });
  expect(await shop.mintsOf(order.id)).toMatchObject([{ status: 'failed', license_id: null }]);
  // Nobody pays for one that is known to be revoked.
  expect(await ann.refusal('/api/store/checkout', 'POST', sent)).toEqual([
    400,
    'VALIDATION_ERROR',
    'NOT_RENEWABLE',
  ]);
  await ann.data('/api/store/cart/clear', 'POST', {});
});

it('that has ended works again from now on; where the time is over, a refund lets it rest', async () => {
  const { variantId } = await shop.licensed({ type: 'SUBSCRIPTION', durationDays: 10 });
  const licenseId = await first((await shop.bought(variantId)).id);
  shop.app.clock.advance(20 * 86_400);
  // Nobody stays signed in for so long.
  ann = await customerClient(shop.app);
  const order = await renewed(licenseId);
  expect(await licenseOf(licenseId)).toMatchObject({
    status: 'ACTIVE',
    valid_until: new Date(Date.parse(shop.app.ctx.now()) + 10 * 86_400_000).toISOString(),
  });
  shop.app.clock.advance(86_400);
  await refund(order);
  expect((await licenseOf(licenseId)).status).toBe('SUSPENDED');
  ann = await customerClient(shop.app);
  await renewed(licenseId);
  expect((await licenseOf(licenseId)).status).toBe('ACTIVE');
});

it('is put into the cart by its button and by JSON, in the language of the page; nobody else can', async () => {
  const { variantId } = await shop.licensed({ type: 'SUBSCRIPTION', durationDays: 30 });
  const who = await customerClient(shop.app);
  await who.data('/api/store/cart/add', 'POST', { variant_id: variantId, quantity: 1 });
  const sent = shop.order('fake', { email: who.email });
  const { order } = await who.data<PlacedShown>('/api/store/checkout', 'POST', sent);
  const id = await first(order.id);
  const path = `/shop/account/licenses/${id}`;
  const { text } = await who.browser.open(`${path}?lang=de`);
  expect(text).toContain('Verlängern');
  const form = { _csrf: tokenIn(text) };
  const pressed = await who.browser.post(`${path}/renew?lang=de`, form);
  expect([pressed.status, pressed.headers.location]).toEqual([303, '/shop/cart?lang=de']);
  const cart = await who.data<{ items: { variant_title: string; quantity: number }[] }>('/api/store/cart');
  expect(cart.items).toMatchObject([
    { quantity: 1, variant_title: expect.stringMatching(/^Verlängerung von /) },
  ]);
  expect(await who.data(`/api/shop/licenses/${id}/renew`, 'POST', {})).toMatchObject({ quantity: 1 });
  const eve = await customerClient(shop.app);
  expect(await eve.refusal(`/api/shop/licenses/${id}/renew`, 'POST', {})).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
  await revoke(shop.app.ctx, { licenseId: id }, null);
  expect((await who.browser.open(path)).text).not.toContain('/renew');
  expect(await who.refusal(`/api/shop/licenses/${id}/renew`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'NOT_RENEWABLE',
  ]);
});
