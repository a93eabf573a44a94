// Several events under one processorEventId: the answer, the inbox and doctor agree on one license and duplicates.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inbox as inboxCapability } from '#licensing/purchases/inbox/capability.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openShop, purchase, type Shop } from '../support/inbound.ts';
import { checkInvariants } from '../support/invariants.ts';

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  shop = await openShop(app, 'GENERIC');
  await shop.map('price_1', { onRefund: 'SUSPEND' });
});

const made = { success: true, received: true, duplicate: false, licensesCreated: 1 };
const repeated = { success: true, received: true, duplicate: true, licensesCreated: 0 };
const ignored = { ...made, licensesCreated: 0, ignored: true, reason: 'EVENT_IGNORED' };

const send = async (event: string, extra: Record<string, unknown> = {}) =>
  (await shop.send(purchase('ord', { event, ...extra }))).body;

/** `name status reason licensesCreated` of what the inbox holds, in the order of the names. */
const inboxOf = async () =>
  (await shop.events())
    .map(
      ({ eventName, status, reason, licensesCreated }) =>
        `${eventName} ${status} ${reason} ${licensesCreated}`,
    )
    .sort();

const expectOneLicense = async () => {
  expect(await shop.licenses()).toHaveLength(1);
  expect(await checkInvariants(app.ctx)).toMatchObject({ status: 'ok' });
};

it('an ignored one and two that sell: one license, then a duplicate', async () => {
  expect(await send('order.created')).toEqual(ignored);
  expect(await send('order.completed')).toEqual(made);
  expect(await send('payment.completed')).toEqual(repeated);
  expect(await send('payment.completed')).toEqual(repeated);
  expect(await inboxOf()).toEqual([
    'order.completed PROCESSED null 1',
    'order.created IGNORED EVENT_IGNORED 0',
    'payment.completed IGNORED DUPLICATE_PAYMENT 0',
  ]);
  await expectOneLicense();
});

describe('whatever payment each of them names', () => {
  const [first, second, none] = [{ payment_id: 'pay-1' }, { payment_id: 'pay-2' }, {}];
  it.each([
    ['the second none', first, none],
    ['the first none', none, first],
    ['each another', first, second],
  ])('%s', async (_name, one, other) => {
    await send('order.created');
    expect(await send('order.completed', one)).toEqual(made);
    expect(await send('payment.completed', other)).toEqual(repeated);
    await expectOneLicense();
  });
});

it('a second one with more lines makes nothing more', async () => {
  await send('order.created');
  await send('order.completed');
  const lines = { items: [{ productId: 'price_1', quantity: 3 }] };
  expect(await send('payment.completed', lines)).toEqual(repeated);
  await expectOneLicense();
});

it('all at the same time: the purchase is not lost behind what is ignored, and is made once', async () => {
  const names = ['order.created', 'order.completed', 'payment.completed', 'checkout.completed'];
  for (let n = 0; n < 5; n++) {
    shop = await openShop(app, 'GENERIC');
    await shop.map('price_1');
    const replies = await Promise.all(names.map((name) => send(name)));
    const created = replies.map(({ licensesCreated }) => Number(licensesCreated));
    expect(created.reduce((sum, count) => sum + count, 0)).toBe(1);
    await expectOneLicense();
  }
});

it('a refund that comes first waits for the purchase under its id, and is applied to it', async () => {
  expect(await send('order.refunded')).toMatchObject({ success: false, reason: 'PURCHASE_UNKNOWN' });
  expect(await send('order.completed')).toEqual(made);
  await inboxCapability.jobs?.find(({ name }) => name === 'inbound-retry')?.run(app.ctx);
  expect((await shop.licenses()).map(({ status }) => status)).toEqual(['SUSPENDED']);
});

it('a purchase that failed does not swallow the one that can be made', async () => {
  const nobody = { customer: {} };
  expect(await send('order.completed', nobody)).toMatchObject({ success: false, reason: 'EMAIL_MISSING' });
  expect(await send('payment.completed')).toEqual(made);
  await expectOneLicense();
});

it('long ids under one long name are different events', async () => {
  const event = `completed.${'x'.repeat(240)}`;
  for (const end of ['a', 'b']) {
    const id = `${'y'.repeat(40)}-${end}`;
    await shop.send(purchase(id, { event: 'order.created' }));
    expect((await shop.send(purchase(id, { event }))).body).toEqual(made);
  }
  expect(await shop.licenses()).toHaveLength(2);
});
