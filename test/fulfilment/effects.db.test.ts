// What refunds, returns, disputes and cancellations do to the licenses of an order (fulfilment 6).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reinstate } from '#licensing/licenses/licenses/index.ts';
import { orderEvents } from '#storefront/orders/orders/index.ts';
import { returnTools } from '../storefront/return-shop.ts';
import { runJob } from '../support/jobs.ts';
import { type LicenseShop, openLicenseShop } from './license-shop.ts';

let shop: LicenseShop;
let tools: ReturnType<typeof returnTools>;
let key: string;
beforeAll(async () => {
  shop = await openLicenseShop();
  tools = returnTools(shop);
  key = (await shop.app.apiKey('FULL_ADMIN')).secret;
}, 120_000);
afterAll(() => shop.app.close());

type Order = Awaited<ReturnType<LicenseShop['bought']>>;
const statuses = async ({ id }: Order) => (await shop.mintsOf(id)).map(({ status }) => status);
const licenseStates = async (order: Order) =>
  (await shop.licensesOf(order.order_number as string)).map(({ status }) => status);
const keyOf = async (licenseId: string | null) => {
  const { body } = await shop.app.admin(
    `/licenses/${licenseId}/reveal-key`,
    await shop.app.adminToken('owner'),
    { body: { reason: 'test' } },
  );
  return body.key as unknown as string;
};
let machines = 0;
const activate = async (licenseId: string | null) =>
  shop.app.post(
    '/api/v1/license/activate',
    { licenseKey: await keyOf(licenseId), machineId: `machine-${++machines}` },
    key,
  );
const refund = (order: Order, quantity: number, more: object = {}) =>
  shop.staff.data(`/orders/${order.id}/refunds`, 'POST', {
    reason: 'returned',
    items: [{ order_item_id: order.items[0]?.id, quantity }],
    ...more,
  });

describe('a refund', () => {
  it('of one unit of three revokes the license with the fewest machines; the others work', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId, 3);
    const [first, second, third] = await shop.mintsOf(order.id);
    for (const mint of [second, third]) expect((await activate(mint?.license_id ?? null)).status).toBe(200);
    const { changes } = await shop.app.changesBy(() => refund(order, 1));
    expect(changes.events.filter((type) => type.startsWith('LICENSE_'))).toEqual(['LICENSE_REVOKED']);
    expect(await statuses(order)).toEqual(['revoked', 'minted', 'minted']);
    expect((await shop.mintsOf(order.id))[0]).toMatchObject({ id: first?.id, reason: 'REFUND' });
    expect((await activate(first?.license_id ?? null)).body.error).toMatchObject({
      code: 'ACTIVATION_FAILED',
    });
    expect((await activate(third?.license_id ?? null)).status).toBe(200);
  });

  it('takes the last unit where none has machines, and none for money alone', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId, 2);
    await shop.staff.data(`/orders/${order.id}/refunds`, 'POST', {
      reason: 'late',
      adjustment_cents: 100,
    });
    expect(await statuses(order)).toEqual(['minted', 'minted']);
    await refund(order, 1);
    expect(await statuses(order)).toEqual(['minted', 'revoked']);
  });

  it.each([
    ['suspend', 'suspended', 'SUSPENDED'],
    ['keep', 'kept', 'ACTIVE'],
  ] as const)('%ss what was sold so', async (onRefund, status, stands) => {
    const { variantId } = await shop.licensed({ onRefund });
    const order = await shop.bought(variantId);
    await refund(order, 1);
    expect([await statuses(order), await licenseStates(order)]).toEqual([[status], [stands]]);
  });

  it('that is told again changes nothing', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId, 3);
    await refund(order, 2);
    const { changes } = await shop.app.changesBy(() =>
      shop.app.ctx.tx((ctx) =>
        orderEvents.tell(ctx, 'order.refunded', order.id, { refundId: 'ref_1', returnId: null }),
      ),
    );
    expect([changes.events, changes.rows]).toEqual([[], {}]);
    expect(await statuses(order)).toEqual(['minted', 'revoked', 'revoked']);
  });

  it('of seats lowers their number; of all of them it revokes the license', async () => {
    const { variantId } = await shop.licensed({ type: 'FLOATING', quantityMode: 'seats', maxActivations: 5 });
    const order = await shop.bought(variantId, 2);
    await refund(order, 1);
    expect(await shop.licensesOf(order.order_number as string)).toMatchObject([
      { status: 'ACTIVE', max_activations: 5 },
    ]);
    await refund(order, 1);
    expect([await statuses(order), await licenseStates(order)]).toEqual([['revoked'], ['REVOKED']]);
  });
});

describe('a return', () => {
  const box = (units: number, more: object = {}) =>
    shop
      .licensed(more, {
        type: 'physical',
        variants: [{ sku: `BOX-${crypto.randomUUID()}`, price_cents: 4900, stock: 10 }],
      })
      .then(async ({ variantId }) => {
        const order = await shop.bought(variantId, units);
        const shipment = await shop.staff.data(`/orders/${order.id}/shipments`, 'POST', { ship_now: true });
        await shop.staff.data(`/shipments/${shipment.id}/deliver`, 'POST', {});
        return { order, item: order.items[0]?.id ?? '' };
      });

  it('that is approved lets a license rest; cancelled, it works again with the same key', async () => {
    const { order, item } = await box(2);
    const one = await tools.asked(order.id, item, 1);
    expect(await statuses(order)).toEqual(['minted', 'minted']);
    await tools.step(one.id, 'approve');
    expect(await statuses(order)).toEqual(['minted', 'suspended']);
    const [, second] = await shop.mintsOf(order.id);
    expect((await activate(second?.license_id ?? null)).body.error).toMatchObject({
      code: 'ACTIVATION_FAILED',
    });
    await tools.step(one.id, 'cancel', { reason: 'kept' });
    expect([await statuses(order), await licenseStates(order)]).toEqual([
      ['minted', 'minted'],
      ['ACTIVE', 'ACTIVE'],
    ]);
    expect((await activate(second?.license_id ?? null)).status).toBe(200);
  });

  it('that arrives and is refunded revokes the license that rested, and no other one', async () => {
    const { order, item } = await box(2);
    const one = await tools.asked(order.id, item, 1);
    const back = await tools.received(one);
    await tools.step(back.id, 'refund');
    expect(await statuses(order)).toEqual(['minted', 'revoked']);
  });

  it('brings a license back that a refund keeps', async () => {
    const { order, item } = await box(1, { onRefund: 'keep' });
    const back = await tools.received(await tools.asked(order.id, item, 1));
    expect(await licenseStates(order)).toEqual(['SUSPENDED']);
    await tools.step(back.id, 'refund');
    expect([await statuses(order), await licenseStates(order)]).toEqual([['kept'], ['ACTIVE']]);
  });
});

describe('a dispute', () => {
  const disputed = (order: Order, how: 'opened' | 'won' | 'lost') =>
    shop.app.ctx.tx((ctx) => orderEvents.tell(ctx, 'order.disputed', order.id, { paymentId: 'pay_1', how }));

  it('lets all licenses of the order rest, and brings them back when it is won', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId, 2);
    await disputed(order, 'opened');
    await disputed(order, 'opened');
    expect(await licenseStates(order)).toEqual(['SUSPENDED', 'SUSPENDED']);
    await disputed(order, 'won');
    expect([await statuses(order), await licenseStates(order)]).toEqual([
      ['minted', 'minted'],
      ['ACTIVE', 'ACTIVE'],
    ]);
  });

  it('that is lost revokes them', async () => {
    const { variantId } = await shop.licensed({ onRefund: 'keep' });
    const order = await shop.bought(variantId, 2);
    await disputed(order, 'opened');
    await disputed(order, 'lost');
    expect(await licenseStates(order)).toEqual(['REVOKED', 'REVOKED']);
  });
});

it('a cancelled order has no license, and one that is not paid never had one', async () => {
  const { variantId } = await shop.licensed(
    {},
    {
      type: 'physical',
      variants: [{ sku: `BOX-${crypto.randomUUID()}`, price_cents: 4900, stock: 10 }],
    },
  );
  const order = await shop.bought(variantId, 2);
  await shop.staff.data(`/orders/${order.id}/cancel`, 'POST', {
    reason: 'mistake',
    refund: 'full',
    restock: true,
  });
  expect([await statuses(order), await licenseStates(order)]).toEqual([
    ['revoked', 'revoked'],
    ['REVOKED', 'REVOKED'],
  ]);
  const unpaid = await shop.bought(variantId, 1, 'offline');
  await shop.staff.data(`/orders/${unpaid.id}/cancel`, 'POST', {
    reason: 'late',
    refund: 'none',
    restock: true,
  });
  expect(await statuses(unpaid)).toEqual([]);
});

it('what the license service has ended already counts as done; what it refuses for now is tried again', async () => {
  const { variantId } = await shop.licensed();
  const order = await shop.bought(variantId, 1);
  const [mint] = await shop.mintsOf(order.id);
  await shop.app.post('/api/v1/license/revoke', { licenseId: mint?.license_id, reason: 'by hand' }, key);
  await refund(order, 1);
  expect(await statuses(order)).toEqual(['revoked']);
  await expect(reinstate(shop.app.ctx, mint?.license_id ?? '')).rejects.toThrow('REVOKED');
  expect(await runJob(shop.app.ctx, 'retry-mints')).toEqual({ orders: 0, waiting: 0 });
});
