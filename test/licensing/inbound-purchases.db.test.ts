// POST /api/v1/webhooks/inbound/{configId}: purchases become licenses (D102 to D115; rows A171 to A175).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as inbox from '#licensing/purchases/inbox/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { checkout, openShop, paymentIntent, purchase, type Shop } from '../support/inbound.ts';

const DAY = 86_400;
let app: TestApp;
let stripe: Shop;
let generic: Shop;
let square: Shop;
let product: string;
beforeAll(async () => {
  app = await startApp();
  stripe = await openShop(app, 'STRIPE');
  generic = await openShop(app, 'GENERIC');
  square = await openShop(app, 'SQUARE');
  product = await stripe.map('price_1', {
    licenseType: 'SUBSCRIPTION',
    licenseTier: 'BUSINESS',
    maxActivations: 3,
    durationDays: 30,
  });
  await generic.map('price_1', { maxActivations: 5 });
  await square.map('price_1');
});
afterAll(() => app.close());

const made = (n = 1) => ({ success: true, received: true, duplicate: false, licensesCreated: n });
const repeated = { success: true, received: true, duplicate: true, licensesCreated: 0 };
const ofOrder = async (shop: Shop, order: string) =>
  (await shop.licenses()).filter(({ order_id }) => order_id === order);

describe('a purchase', () => {
  it('of card processor A makes the license that the mapping describes, and tells LICENSE_CREATED', async () => {
    const { result, changes } = await app.changesBy(() => stripe.send(checkout('one')));
    expect([result.status, result.body]).toEqual([200, made()]);
    expect(changes.events).toEqual(['CUSTOMER_CREATED', 'LICENSE_CREATED']);
    const [license] = await ofOrder(stripe, 'order-one');
    const validUntil = new Date(app.clock.epochMs() + 30 * DAY * 1000).toISOString();
    expect(license).toMatchObject({
      product_id: product,
      status: 'ACTIVE',
      type: 'SUBSCRIPTION',
      tier: 'BUSINESS',
      max_activations: 3,
      valid_until: validUntil,
      source: 'INBOUND_WEBHOOK',
    });
    const [event] = await app.eventsOf(license?.id ?? '');
    expect([event?.type, event?.data.details]).toEqual([
      'LICENSE_CREATED',
      {
        source: 'INBOUND_WEBHOOK',
        type: 'SUBSCRIPTION',
        tier: 'BUSINESS',
        maxActivations: 3,
        validUntil,
        orderId: 'order-one',
      },
    ]);
  });
  it('again answers duplicate and changes nothing', async () => {
    const { result, changes } = await app.changesBy(() => stripe.send(checkout('one')));
    expect([result.status, result.body]).toEqual([200, repeated]);
    expect(changes).toEqual({ events: [], rows: {} });
  });
  it('of payments processor B', async () => {
    const event = {
      event_id: 'sq-1',
      type: 'payment.completed',
      data: {
        object: {
          payment: {
            id: 'p1',
            order_id: 'sq-order',
            buyer_email_address: 'buyer@x.test',
            status: 'COMPLETED',
          },
          line_items: [{ catalog_object_id: 'price_1', quantity: '2' }],
        },
      },
    };
    expect((await square.send(event)).body).toEqual(made(2));
    expect(await ofOrder(square, 'sq-order')).toHaveLength(2);
  });
  it('of another processor', async () => {
    expect((await generic.send(purchase('g1'))).body).toEqual(made());
    expect(await ofOrder(generic, 'order-g1')).toMatchObject([
      { max_activations: 5, source: 'INBOUND_WEBHOOK' },
    ]);
  });
});

describe('one payment, two events (D106)', () => {
  it.each([
    ['checkout first', [checkout('two-a'), paymentIntent('two-a')]],
    ['payment first', [paymentIntent('two-b'), checkout('two-b')]],
  ])('%s: one license', async (_name, [first, second]) => {
    expect((await stripe.send(first as object)).body).toEqual(made());
    const { result, changes } = await app.changesBy(() => stripe.send(second as object));
    expect(result.body).toEqual(repeated);
    expect(changes).toEqual({ events: [], rows: { license_inbound_events: '+1' } });
  });
});

describe('what is paid, and for what (rows A173, A175)', () => {
  const ignored = { ...made(0), ignored: true, reason: 'EVENT_IGNORED' };
  const failed = (reason: string) => ({
    success: false,
    received: true,
    duplicate: false,
    licensesCreated: 0,
    reason,
    error: { code: 'VALIDATION_ERROR', message: expect.any(String) },
  });
  const kept = { events: [], rows: { license_inbound_events: '+1' } };
  const check = async (send: () => Promise<{ status: number; body: unknown }>, body: object) => {
    const { result, changes } = await app.changesBy(send);
    expect([result.status, result.body]).toEqual([200, body]);
    if ((body as { licensesCreated: number }).licensesCreated === 0) expect(changes).toEqual(kept);
  };

  it.each([
    ['an unpaid checkout makes nothing', checkout('unpaid', { payment_status: 'unpaid' }), ignored],
    ['a checkout without a status makes nothing', checkout('none', { payment_status: undefined }), ignored],
    [
      'a checkout that costs nothing makes a license',
      checkout('free', { payment_status: 'no_payment_required', amount_total: 0 }, null),
      made(),
    ],
    ['an event of another kind', { id: 'evt_other', type: 'customer.created', data: {} }, ignored],
    [
      'an event of our own shop',
      checkout('own', { metadata: { source: 'appctl-store', price_id: 'price_1' } }),
      ignored,
    ],
    ['an unmapped product', checkout('unmapped', { metadata: { price_id: 'price_9' } }), failed('UNMAPPED')],
    ['no product', checkout('nothing', { metadata: {} }), failed('UNMAPPED')],
    ['no e-mail', checkout('nobody', { customer_details: null }), failed('EMAIL_MISSING')],
    [
      'an e-mail that is none',
      checkout('no-at', { customer_details: { email: 'a@b' } }),
      failed('EMAIL_MISSING'),
    ],
  ])('%s', async (_name, event, body) => {
    await check(() => stripe.send(event), body);
  });

  const lines = (...of: [string, unknown][]) => ({
    items: of.map(([productId, quantity]) => ({ productId, quantity })),
  });
  it.each([
    ['quantity 3', lines(['price_1', 3]), made(3)],
    ['quantity "2"', lines(['price_1', '2']), made(2)],
    ['100 of one', lines(['price_1', 100]), made(100)],
    ['101 of one', lines(['price_1', 101]), failed('QUANTITY')],
    ['quantity 10^9', lines(['price_1', 1e9]), failed('QUANTITY')],
    ['quantity 0', lines(['price_1', 0]), failed('QUANTITY')],
    ['quantity -1', lines(['price_1', -1]), failed('QUANTITY')],
    ['quantity 1.5', lines(['price_1', 1.5]), failed('QUANTITY')],
    ['quantity of letters', lines(['price_1', 'many']), failed('QUANTITY')],
    ['two lines of one product', lines(['price_1', 1], ['price_1', 2]), made(3)],
    ['two products, one mapped', lines(['price_1', 1], ['price_9', 4]), made()],
    ['more than one event may ask for', lines(...Array(6).fill(['price_1', 90])), failed('QUANTITY')],
  ])('%s', async (name, items, body) => {
    await check(() => generic.send(purchase(`q-${name}`, items)), body);
  });

  it('by seats: one license with n times the seats, up to 1000 (D111)', async () => {
    await generic.map('seats', { maxActivations: 10, quantityMode: 'SEATS' });
    await check(() => generic.send(purchase('seats-100', lines(['seats', 100]))), made());
    expect(await ofOrder(generic, 'order-seats-100')).toMatchObject([{ max_activations: 1000 }]);
    await check(() => generic.send(purchase('seats-101', lines(['seats', 101]))), failed('QUANTITY'));
  });

  it('a product that is not sold any more is still delivered (D43)', async () => {
    const old = await generic.map('old');
    await products.update(app.ctx, old, { status: 'DISCONTINUED' });
    await check(() => generic.send(purchase('old', lines(['old', 1]))), made());
  });

  it('perpetual when the mapping names no days', async () => {
    await generic.map('for-ever', { licenseType: 'SUBSCRIPTION', durationDays: null });
    await check(() => generic.send(purchase('ever', lines(['for-ever', 1]))), made());
    expect(await ofOrder(generic, 'order-ever')).toMatchObject([{ valid_until: null, type: 'SUBSCRIPTION' }]);
  });

  it('what cannot be made whole is not made in part', async () => {
    await check(
      () => generic.send(purchase('part', lines(['price_1', 1], ['price_1', 0]))),
      failed('QUANTITY'),
    );
    expect(await ofOrder(generic, 'order-part')).toEqual([]);
  });

  it.each([
    ['reference_id names the product', { reference_id: 'price_1' }, made()],
    [
      'reference_id names a payment of our own shop',
      { reference_id: 'pay_01K00000000000000000000000' },
      ignored,
    ],
    ['a payment that is not completed', { reference_id: 'price_1', status: 'FAILED' }, ignored],
  ])('payments processor B: %s', async (name, payment, body) => {
    const object = { payment: { id: name, buyer_email_address: 'buyer@x.test', ...payment } };
    await check(() => square.send({ event_id: name, type: 'payment.completed', data: { object } }), body);
  });

  it.each([
    ['payment.failed', ignored],
    ['PaymentFailed', ignored],
    ['payment_canceled', ignored],
    ['purchase.refunded', ignored],
    ['payment.pending', ignored],
    ['paymentvoided', made()],
    ['subscription.created', ignored],
    ['ORDER COMPLETED', made()],
    ['Purchase', made()],
    ['invoice.payment', made()],
  ])('another processor: event %s', async (event, body) => {
    await check(() => generic.send(purchase(`name-${event}`, { event })), body);
  });
});

it('one id for what was ignored and for what is bought: the purchase is not lost', async () => {
  const pending = await generic.send(purchase('ord_7', { event: 'order.created' }));
  expect(pending.body).toMatchObject({ ignored: true });
  expect((await generic.send(purchase('ord_7'))).body).toEqual(made());
  expect((await generic.send(purchase('ord_7'))).body).toEqual(repeated);
  expect((await generic.send(purchase('ord_7', { event: 'order.created' }))).body).toEqual(repeated);
});

it('the license belongs to the tenant of the configuration', async () => {
  const other = await app.otherTenant();
  const shop = await openShop(app, 'GENERIC', other);
  await shop.map('price_1');
  expect((await shop.send(purchase('tenant'))).body).toEqual(made());
  const [license] = await shop.licenses();
  await expect(licenses.get(app.ctx, license?.id ?? '')).rejects.toThrow(/was not found/);
  expect((await licenses.get(other, license?.id ?? '')).orderId).toBe('order-tenant');
});

it('is limited to 60 a minute and address, and says so by 429', async () => {
  const limited = await startApp({ limits: 'on' });
  try {
    const shop = await openShop(limited, 'GENERIC');
    for (let n = 0; n < 60; n++) expect((await shop.post('{}')).status).toBe(200);
    const reply = await shop.post('{}');
    expect([reply.status, reply.body.error?.code]).toEqual([429, 'RATE_LIMITED']);
  } finally {
    await limited.close();
  }
});

it('every license made here is named by exactly one claim (8.8, invariant 6)', async () => {
  expect(await inbox.listUnclaimed(app.ctx)).toEqual([]);
  const [license] = await ofOrder(stripe, 'order-one');
  const write = (licenses: string) =>
    app.instance.database.transaction(({ knex }) =>
      knex('license_inbound_claims').where({ claim_key: 'payment:pi_one' }).update({ licenses }),
    );
  const named = JSON.stringify([{ licenseId: license?.id, externalProductId: 'price_1' }]);
  await write('[]');
  expect(await inbox.listUnclaimed(app.ctx)).toEqual([license?.id]);
  await write(named);
  expect(await inbox.listUnclaimed(app.ctx)).toEqual([]);
});
