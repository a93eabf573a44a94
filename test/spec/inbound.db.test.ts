// Every row of the specification about purchases that payment processors report.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inboxEndpoints } from '../../src/licensing/purchases/inbox/endpoints.ts';
import { checkout, hmac, openShop, paymentIntent, purchase, secondsOf, secret } from '../support/inbound.ts';
import { row } from './rows.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let limited: World;
beforeAll(async () => {
  [world, limited] = await Promise.all([openWorld(), openWorld({ limits: 'on', proxyTrust: '127.0.0.1' })]);
});
afterAll(() => Promise.all([world.close(), limited.close()]));

const sold = { success: true, received: true, licensesCreated: 1 };
const refused = { success: false, licensesCreated: 0, reason: 'SIGNATURE_INVALID' };
const wrongSecret = { secret: 'another-secret-of-somebody' };

it(row('endpoint', 'POST /api/v1/webhooks/inbound/{configId}'), async () => {
  const shop = await openShop(world, 'GENERIC');
  const terms = { licenseType: 'SUBSCRIPTION', maxActivations: 3, durationDays: 365 };
  const productId = await shop.map('price_1', terms);
  const first = await shop.send(purchase('a'));
  expect([first.status, first.body]).toMatchObject([200, { ...sold, duplicate: false }]);
  const again = await shop.send(purchase('a'));
  expect([again.status, again.body]).toMatchObject([
    200,
    { success: true, duplicate: true, licensesCreated: 0 },
  ]);
  const forged = await shop.send(purchase('b'), wrongSecret);
  expect([forged.status, forged.body]).toMatchObject([200, refused]);
  const [license, ...others] = await shop.licenses();
  expect(others).toEqual([]);
  expect(license).toMatchObject({ product_id: productId, type: 'SUBSCRIPTION', max_activations: 3 });
  expect(world.typesTold(license?.id ?? '')).toEqual(['LICENSE_CREATED']);
});

it(row('processor', 'Card processor A'), async () => {
  const shop = await openShop(world, 'STRIPE');
  await shop.map('price_1');
  expect((await shop.send(checkout('a'))).body).toMatchObject(sold);
  expect((await shop.send(paymentIntent('b'))).body).toMatchObject(sold);
  expect((await shop.send(checkout('c'), wrongSecret)).body).toMatchObject(refused);
  for (const [id, seconds, expected] of [
    ['d', -120, sold],
    ['e', -121, refused],
    ['f', 120, sold],
    ['g', 121, refused],
  ] as const) {
    const { status, body } = await shop.send(checkout(id), { at: secondsOf(world) + seconds });
    expect([id, status, body]).toMatchObject([id, 200, expected]);
  }
});

it(row('processor', 'Payments processor B'), async () => {
  const shop = await openShop(world, 'SQUARE');
  await shop.map('item_1');
  const paid = (id: string) => ({
    event_id: id,
    type: 'payment.completed',
    data: {
      object: {
        payment: { id: `payment-${id}`, order_id: id, buyer_email_address: 'buyer@x.test' },
        line_items: [{ catalog_object_id: 'item_1', quantity: '1' }],
      },
    },
  });
  expect((await shop.send(paid('a'))).body).toMatchObject(sold);
  expect((await shop.send(paid('b'), wrongSecret)).body).toMatchObject(refused);
  // Signed without the URL.
  const body = JSON.stringify(paid('c'));
  const signature = { 'x-square-hmacsha256-signature': hmac(secret, body).toString('base64') };
  expect((await shop.post(body, signature)).body).toMatchObject(refused);
});

it(row('processor', 'Generic'), async () => {
  const shop = await openShop(world, 'GENERIC');
  await shop.map('price_1');
  for (const event of ['order.completed', 'new_purchase', 'PaymentReceived'])
    expect((await shop.send(purchase(event, { event }))).body).toMatchObject(sold);
  const body = JSON.stringify(purchase('other header'));
  const other = await shop.post(body, { 'X-Signature': hmac(secret, body).toString('hex') });
  expect(other.body).toMatchObject(sold);
  const opened = await shop.send(purchase('opened', { event: 'order.opened' }));
  expect([opened.status, opened.body]).toMatchObject([200, { success: true, licensesCreated: 0 }]);
  expect(await shop.licenses()).toHaveLength(4);
});

it(row('processor', 'Wallet processor'), async () => {
  const shop = await openShop(world, 'GENERIC');
  await world.ctx.tx(async ({ db }) => {
    await db.knex('license_inbound_configs').where({ id: shop.id }).update({ processor: 'WALLET' });
  });
  const { status, body } = await shop.send(purchase('a'));
  expect([status, body]).toMatchObject([200, { success: false, reason: 'UNSUPPORTED_PROCESSOR' }]);
});

it(row('limit', 'Inbound webhooks'), async () => {
  const shop = await openShop(limited, 'GENERIC');
  const address = { 'X-Forwarded-For': '203.0.113.7' };
  for (let n = 0; n <= 60; n++) {
    const { status, headers } = await shop.send(purchase('a'), { headers: address });
    expect([n, status]).toEqual([n, n === 60 ? 429 : 200]);
    expect(headers['ratelimit-remaining']).toBe(String(Math.max(0, 59 - n)));
    expect(Number(headers['ratelimit-reset'])).toBeLessThanOrEqual(60);
  }
  const elsewhere = await shop.send(purchase('a'), { headers: { 'X-Forwarded-For': '203.0.113.8' } });
  expect(elsewhere.status).toBe(200);
  expect(inboxEndpoints.map(({ limit }) => limit?.by)).toEqual(['ip']);
});
