// A bank asks about a payment: what its order delivered rests until that is decided (fulfilment 6).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signFake } from '../../src/storefront/orders/processors/fake.ts';
import { returnTools } from '../storefront/return-shop.ts';
import { openShopperShop, type ShopperShop } from './shopper-shop.ts';

let shop: ShopperShop;
let tools: ReturnType<typeof returnTools>;
beforeAll(async () => {
  shop = await openShopperShop();
  tools = returnTools(shop);
}, 120_000);
afterAll(() => shop.app.close());

interface Payment {
  readonly id: string;
  readonly transaction_id: string;
  readonly amount_cents: number;
  readonly dispute: string | null;
}
const paymentOf = async (orderId: string): Promise<Payment> => {
  const [payment] = (await shop.staff.data(`/orders/${orderId}/payments`)) as unknown as Payment[];
  if (!payment) throw new Error('the order has no payment');
  return payment;
};

/** Lets the processor report a dispute about the payment of an order. */
async function disputed(orderId: string, how: 'opened' | 'won' | 'lost'): Promise<void> {
  const { id, transaction_id: transactionId, amount_cents: amountCents } = await paymentOf(orderId);
  const report = {
    processorEventId: `evt_${crypto.randomUUID()}`,
    type: `dispute.${how}`,
    paymentId: id,
    ...{ transactionId, amountCents, currency: 'USD', raw: {} },
  };
  const body = JSON.stringify(report);
  const { status } = await shop.app.send('/api/store/payments/webhook/fake', {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...signFake(body) },
  });
  expect(status).toBe(200);
}
const states = async (orderNumber: unknown) =>
  (await shop.licensesOf(String(orderNumber))).map(({ status }) => status);

it('a dispute holds licenses, releases and files back until it is decided', async () => {
  const sold = await shop.program();
  await shop.staff.data(`/variants/${sold.variantId}/files`, 'POST', { release_channel: 'stable' });
  const { who, order, card, key } = await shop.holder(sold.variantId);
  const [file] = await who.data<{ id: string }[]>('/api/shop/downloads');
  const link = () => who.send(`/api/shop/downloads/${file?.id}/link`, 'POST', {});
  const open = ((await link()).body.data as unknown as { url: string }).url;
  expect((await shop.activate(key, 'machine-1')).status).toBe(200);

  await disputed(order.id, 'opened');
  expect((await paymentOf(order.id)).dispute).toBe('open');
  expect(await states(order.order_number)).toEqual(['SUSPENDED']);
  expect((await shop.validate(key, 'machine-1')).body).toMatchObject({ valid: false });
  const refused = await link();
  expect([refused.status, refused.body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(refused.text).toContain('cannot be downloaded while its order is being returned or disputed');
  expect((await shop.fetched(open)).status).toBe(404);
  const page = await who.browser.open(`/shop/account/orders/${order.order_number}`);
  expect(page.text).toContain('Its files are unavailable until it is resolved');
  const release = `/api/shop/licenses/${card.id}/releases/${sold.releases[1]?.id}/link`;
  expect((await who.send(release, 'POST', {})).status).toBe(400);
  const [shown] = (await shop.staff.data(`/orders/${order.id}/downloads`)) as unknown as object[];
  expect(shown).toMatchObject({ is_suspended: true, revoked_at: null });

  await disputed(order.id, 'won');
  expect([(await paymentOf(order.id)).dispute, await states(order.order_number)]).toEqual([
    'won',
    ['ACTIVE'],
  ]);
  expect((await shop.validate(key, 'machine-1')).body).toMatchObject({ valid: true });
  expect((await shop.fetched(open)).status).toBe(200);

  await disputed(order.id, 'opened');
  await disputed(order.id, 'lost');
  expect([(await paymentOf(order.id)).dispute, await states(order.order_number)]).toEqual([
    'lost',
    ['REVOKED'],
  ]);
  expect((await link()).status).toBe(404);
});

it('a dispute that is lost takes files back that need no license', async () => {
  const variantId = await shop.stocked(10, { type: 'digital' });
  const { secret } = await shop.app.adminToken('owner');
  await shop.app.send(`/api/store/variants/${variantId}/files?name=album.zip`, {
    method: 'POST',
    body: 'All the songs',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' },
  });
  const order = await shop.bought(variantId);
  const files = async () =>
    (await shop.staff.data(`/orders/${order.id}/downloads`)) as unknown as { revoked_at: string | null }[];
  await disputed(order.id, 'opened');
  expect(await files()).toMatchObject([{ is_suspended: true, revoked_at: null }]);
  await disputed(order.id, 'lost');
  expect(await files()).toMatchObject([{ is_suspended: false, revoked_at: expect.any(String) }]);
});

/** An order of boxes with a license and a file, that has arrived. */
async function box(units = 1) {
  const { variantId } = await shop.licensed(
    {},
    {
      type: 'physical',
      variants: [{ sku: `BOX-${crypto.randomUUID()}`, price_cents: 4900, stock: 10 }],
    },
  );
  await shop.staff.data(`/variants/${variantId}/files`, 'POST', { release_channel: 'stable' });
  const order = await shop.bought(variantId, units);
  const shipment = await shop.staff.data(`/orders/${order.id}/shipments`, 'POST', { ship_now: true });
  await shop.staff.data(`/shipments/${shipment.id}/deliver`, 'POST', {});
  const held = async () => {
    const files = (await shop.staff.data(`/orders/${order.id}/downloads`)) as unknown as {
      is_suspended: boolean;
    }[];
    return files.map((one) => one.is_suspended);
  };
  const number = order.order_number;
  const now = async () => ({ licenses: await states(number), files: await held() });
  return { order, item: order.items[0]?.id ?? '', now };
}

it('a return that ends while a dispute is open leaves everything at rest until that is won', async () => {
  const { order, item, now } = await box();
  const one = await tools.asked(order.id, item, 1);
  expect(await now()).toEqual({ licenses: ['ACTIVE'], files: [false] });
  await tools.step(one.id, 'approve');
  expect(await now()).toEqual({ licenses: ['SUSPENDED'], files: [true] });
  await disputed(order.id, 'opened');
  await tools.step(one.id, 'cancel', { reason: 'kept' });
  expect(await now()).toEqual({ licenses: ['SUSPENDED'], files: [true] });
  await disputed(order.id, 'won');
  expect(await now()).toEqual({ licenses: ['ACTIVE'], files: [false] });
});

it('a dispute that is won while goods are on their way back leaves their licenses at rest', async () => {
  const { order, item, now } = await box(2);
  await disputed(order.id, 'opened');
  const one = await tools.asked(order.id, item, 1);
  await tools.step(one.id, 'approve');
  expect(await now()).toEqual({ licenses: ['SUSPENDED', 'SUSPENDED'], files: [true] });
  await disputed(order.id, 'won');
  const { licenses, files } = await now();
  // A file belongs to the line: one box of two that stays keeps it.
  expect([licenses.toSorted(), files]).toEqual([['ACTIVE', 'SUSPENDED'], [false]]);
  await tools.step(one.id, 'cancel', { reason: 'kept' });
  expect(await now()).toEqual({ licenses: ['ACTIVE', 'ACTIVE'], files: [false] });
});
