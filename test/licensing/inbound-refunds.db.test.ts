// Refunds that payment processors report (D116).

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { inbox as inboxCapability } from '#licensing/purchases/inbox/capability.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { checkout, openShop, purchase, type Shop } from '../support/inbound.ts';

let app: TestApp;
let stripe: Shop;
let generic: Shop;
beforeAll(async () => {
  app = await startApp();
  stripe = await openShop(app, 'STRIPE');
  generic = await openShop(app, 'GENERIC');
  await stripe.map('price_1', { onRefund: 'REVOKE' });
  await generic.map('price_1', { onRefund: 'SUSPEND' });
  await generic.map('kept', { onRefund: 'NONE' });
});
afterAll(() => app.close());

const done = { success: true, received: true, duplicate: false, licensesCreated: 0 };
const ignored = { ...done, ignored: true, reason: 'EVENT_IGNORED' };
const refunded = (id: string, extra: object = {}) => ({
  id: `evt_re_${id}`,
  type: 'charge.refunded',
  data: {
    object: {
      object: 'charge',
      payment_intent: `pi_${id}`,
      amount: 900,
      amount_refunded: 900,
      refunded: true,
      ...extra,
    },
  },
});
const statusOf = async (shop: Shop, order: string) =>
  (await shop.licenses()).filter(({ order_id }) => order_id === order).map(({ status }) => status);
const retry = () => inboxCapability.jobs?.find(({ name }) => name === 'inbound-retry')?.run(app.ctx);

describe('of card processor A', () => {
  it('revokes the licenses of the payment, once', async () => {
    await stripe.send(checkout('r1'));
    const { result, changes } = await app.changesBy(() => stripe.send(refunded('r1')));
    expect(result.body).toEqual(done);
    expect(changes.events).toEqual(['LICENSE_REVOKED']);
    expect(await statusOf(stripe, 'order-r1')).toEqual(['REVOKED']);
    const again = await app.changesBy(() => stripe.send(refunded('r1')));
    expect(again.result.body).toMatchObject({ success: true, duplicate: true });
    expect(again.changes).toEqual(nothing);
    const another = await app.changesBy(() => stripe.send({ ...refunded('r1'), id: 'evt_re_again' }));
    expect(another.changes).toEqual({ events: [], rows: { license_inbound_events: '+1' } });
  });
  it('of a part changes nothing', async () => {
    await stripe.send(checkout('r2'));
    const part = refunded('r2', { amount_refunded: 899, refunded: false });
    expect((await stripe.send(part)).body).toEqual(ignored);
    expect(await statusOf(stripe, 'order-r2')).toEqual(['ACTIVE']);
  });
  it('that comes before its purchase is visible, and applied when the purchase comes', async () => {
    expect((await stripe.send(refunded('r3'))).body).toMatchObject({
      success: false,
      reason: 'PURCHASE_UNKNOWN',
    });
    const waiting = (await stripe.events()).find(({ processorEventId }) => processorEventId === 'evt_re_r3');
    expect(waiting).toMatchObject({ status: 'FAILED', reason: 'PURCHASE_UNKNOWN' });
    expect((await stripe.send(checkout('r3'))).body).toMatchObject({ licensesCreated: 1 });
    expect(await statusOf(stripe, 'order-r3')).toEqual(['ACTIVE']);
    const { changes } = await app.changesBy(async () => retry());
    expect(changes.events).toEqual(['LICENSE_REVOKED']);
    expect(await statusOf(stripe, 'order-r3')).toEqual(['REVOKED']);
  });
  it('at the same time as its purchase ends with a revoked license', async () => {
    const ids = Array.from({ length: 10 }, (_, n) => `r-meet-${n}`);
    await Promise.all(ids.flatMap((id) => [stripe.send(refunded(id)), stripe.send(checkout(id))]));
    await retry();
    for (const id of ids) expect(await statusOf(stripe, `order-${id}`)).toEqual(['REVOKED']);
  });
});

describe('of another processor', () => {
  const refund = (id: string, extra: object = {}) => ({
    id: `re-${id}`,
    event: 'order.refunded',
    order_id: `order-${id}`,
    ...extra,
  });

  it('suspends the licenses of the order whose mapping says so', async () => {
    const items = [{ productId: 'price_1' }, { productId: 'kept' }];
    await generic.send(purchase('g1', { items }));
    const { result, changes } = await app.changesBy(() => generic.send(refund('g1')));
    expect(result.body).toEqual(done);
    expect(changes.events).toEqual(['LICENSE_SUSPENDED']);
    expect((await statusOf(generic, 'order-g1')).sort()).toEqual(['ACTIVE', 'SUSPENDED']);
    const [event] = (await generic.licenses()).filter(({ status }) => status === 'SUSPENDED');
    const told = (await app.eventsOf(event?.id ?? '')).find(({ type }) => type === 'LICENSE_SUSPENDED');
    expect(told?.data.details).toEqual({ reason: 'REFUND', note: 'refund re-g1' });
  });
  it('of one payment leaves the other payment of the order', async () => {
    await generic.send(purchase('p-a', { order_id: 'shared', payment_id: 'pay-a' }));
    await generic.send(purchase('p-b', { order_id: 'shared', payment_id: 'pay-b' }));
    await generic.send(refund('p', { order_id: 'shared', payment_id: 'pay-a' }));
    expect((await statusOf(generic, 'shared')).sort()).toEqual(['ACTIVE', 'SUSPENDED']);
  });
  it('by payment finds what was bought by order alone', async () => {
    await generic.send(purchase('g2'));
    await generic.send(refund('g2', { payment_id: 'late' }));
    expect(await statusOf(generic, 'order-g2')).toEqual(['SUSPENDED']);
  });
  it('under the id of the purchase is still a refund', async () => {
    await generic.send(purchase('g3'));
    await generic.send(refund('g3', { id: 'g3' }));
    expect(await statusOf(generic, 'order-g3')).toEqual(['SUSPENDED']);
  });
  it.each(['refund.failed', 'order.partially_refunded', 'refund.pending', 'refundRequested'])(
    '%s does nothing',
    async (event) => {
      await generic.send(purchase(event));
      expect((await generic.send(refund(event, { event }))).body).toEqual(ignored);
      expect(await statusOf(generic, `order-${event}`)).toEqual(['ACTIVE']);
    },
  );
  it('of a license that is revoked or in the trash changes nothing more', async () => {
    await generic.send(purchase('g4', { items: [{ productId: 'price_1', quantity: 2 }] }));
    const [first, second] = (await generic.licenses()).filter(({ order_id }) => order_id === 'order-g4');
    await licenses.revoke(app.ctx, { licenseId: first?.id }, null);
    await licenses.trash(app.ctx, second?.id ?? '', 'gone');
    const { result, changes } = await app.changesBy(() => generic.send(refund('g4')));
    expect(result.body).toEqual(done);
    expect(changes.events).toEqual([]);
  });
});

it('where no mapping acts on refunds they are ignored', async () => {
  const shop = await openShop(app, 'STRIPE');
  await shop.map('price_1');
  await shop.send(checkout('n1'));
  expect((await shop.send(refunded('n1'))).body).toEqual(ignored);
  expect(await statusOf(shop, 'order-n1')).toEqual(['ACTIVE']);
});
