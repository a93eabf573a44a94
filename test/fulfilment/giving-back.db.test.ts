// Whoever gives something back, or has not paid for it, keeps nothing of it that works (fulfilment 5 and 6).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remove as removeProduct } from '#licensing/catalog/products/index.ts';
import { suspend } from '#licensing/licenses/licenses/index.ts';
import * as settings from '#platform/settings/index.ts';
import { orderEvents } from '#storefront/orders/orders/index.ts';
import { setGrant } from '../../src/fulfilment/grants/index.ts';
import { returnTools } from '../storefront/return-shop.ts';
import { runJob } from '../support/jobs.ts';
import { type LicenseShop, openLicenseShop } from './license-shop.ts';

let shop: LicenseShop;
let tools: ReturnType<typeof returnTools>;
beforeAll(async () => {
  shop = await openLicenseShop();
  tools = returnTools(shop);
}, 120_000);
afterAll(() => shop.app.close());

type Order = Awaited<ReturnType<LicenseShop['bought']>>;
const rowsOf = async ({ id }: Order) => (await shop.mintsOf(id)).map(({ status }) => status);
const statesOf = async (order: Order) =>
  (await shop.licensesOf(order.order_number as string)).map(({ status }) => String(status)).sort();
const seatsOf = async (order: Order) =>
  (await shop.licensesOf(order.order_number as string)).map((one) => Number(one.max_activations));
const filesOf = async (order: Order) =>
  (await shop.staff.data(`/orders/${order.id}/downloads`)) as unknown as object[];
const edit = (order: Order, body: object) => shop.staff.data(`/orders/${order.id}/edit`, 'POST', body);
const itemOf = (order: Order): string => order.items[0]?.id ?? '';
const refund = (order: Order, quantity: number, item = itemOf(order)) =>
  shop.staff.data(`/orders/${order.id}/refunds`, 'POST', {
    reason: 'returned',
    items: [{ order_item_id: item, quantity }],
  });
const withFile = async (grant: object = {}) => {
  const made = await shop.licensed(grant);
  await shop.staff.data(`/variants/${made.variantId}/files`, 'POST', { release_channel: 'stable' });
  return made.variantId;
};
const payRest = async (order: Order) => {
  const { totals } = (await shop.staff.data(`/orders/${order.id}`)) as unknown as {
    totals: { due_cents: number };
  };
  await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
    amount_cents: totals.due_cents,
    method: 'cash',
  });
};

/** Boxes with a license that still have to be sent: such an order can be edited. */
async function waiting(units: number, grant: object = {}) {
  const sku = `BOX-${crypto.randomUUID()}`;
  const { variantId } = await shop.licensed(grant, {
    type: 'physical',
    variants: [{ sku, price_cents: 4900, stock: 100 }],
  });
  return { variantId, order: await shop.bought(variantId, units) };
}
/** Boxes that have arrived. */
async function boxes(units: number, grant: object = {}) {
  const { order, variantId } = await waiting(units, grant);
  const shipment = await shop.staff.data(`/orders/${order.id}/shipments`, 'POST', { ship_now: true });
  await shop.staff.data(`/shipments/${shipment.id}/deliver`, 'POST', {});
  return { order, variantId };
}

describe('what staff add to a paid order', () => {
  it('is delivered when it is paid: licenses, seats and files', async () => {
    const [single, added] = [(await shop.licensed()).variantId, await withFile()];
    const { order } = await waiting(1, { type: 'FLOATING', quantityMode: 'seats', maxActivations: 2 });
    await edit(order, {
      update: [{ order_item_id: itemOf(order), quantity: 50 }],
      add: [
        { variant_id: single, quantity: 3 },
        { variant_id: added, quantity: 1 },
      ],
      settle: 'payment_link',
    });
    expect([await seatsOf(order), await filesOf(order)]).toEqual([[2], []]);
    expect((await rowsOf(order)).sort()).toEqual(['minted', 'pending', 'pending', 'pending', 'pending']);
    shop.app.clock.advance(2 * 3600);
    await runJob(shop.app.ctx, 'retry-mints');
    expect(await seatsOf(order)).toEqual([2]);
    await payRest(order);
    expect((await seatsOf(order)).sort((one, other) => one - other)).toEqual([2, 2, 2, 2, 100]);
    expect(await filesOf(order)).toHaveLength(1);
  });

  it('and take out again is revoked with its line, files too', async () => {
    const { order, variantId } = await waiting(2);
    await shop.staff.data(`/variants/${variantId}/files`, 'POST', { release_channel: 'stable' });
    await shop.staff.data(`/orders/${order.id}/downloads/give`, 'POST', {});
    expect(await filesOf(order)).toHaveLength(1);
    const other = (await shop.licensed()).variantId;
    await edit(order, { add: [{ variant_id: other, quantity: 1 }], settle: 'none' });
    await payRest(order);
    expect(await statesOf(order)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    await edit(order, { remove: [itemOf(order)], settle: 'refund' });
    expect(await statesOf(order)).toEqual(['ACTIVE', 'REVOKED', 'REVOKED']);
    expect(await filesOf(order)).toEqual([]);
    expect(await shop.staff.data(`/orders/${order.id}/licenses`)).toHaveLength(3);
  });
});

it('units that an edit takes out do not count as units that were refunded', async () => {
  const { order } = await waiting(2);
  await edit(order, { update: [{ order_item_id: itemOf(order), quantity: 1 }], settle: 'refund' });
  expect(await statesOf(order)).toEqual(['ACTIVE', 'REVOKED']);
  await refund(order, 1);
  expect(await statesOf(order)).toEqual(['REVOKED', 'REVOKED']);
});

describe('a license that could not be made', () => {
  const unmade = async () => {
    const { variantId, licenseProduct } = await shop.licensed();
    const order = await shop.bought(variantId, 1, 'offline');
    const stored = await shop.knex()('license_products').where({ id: licenseProduct.id }).first();
    await removeProduct(shop.app.ctx, licenseProduct.id);
    await payRest(order);
    expect(await rowsOf(order)).toEqual(['failed']);
    const bringBack = () =>
      shop.app.instance.database.transaction(({ knex }) => knex('license_products').insert(stored));
    return { order, variantId, bringBack };
  };
  const tried = async () => {
    shop.app.clock.advance(3600);
    await runJob(shop.app.ctx, 'retry-mints');
  };

  it('is made after a refund of good will', async () => {
    const { order, bringBack } = await unmade();
    const good = { adjustment_cents: 1, reason: 'good will' };
    await shop.staff.data(`/orders/${order.id}/refunds`, 'POST', good);
    await bringBack();
    await tried();
    expect([await rowsOf(order), await statesOf(order)]).toEqual([['minted'], ['ACTIVE']]);
  });

  it('is not made while the order is disputed, and at once when that is won', async () => {
    const { order, bringBack } = await unmade();
    const payment = { order_id: order.id };
    const judged = async (how: 'opened' | 'won') => {
      await shop.app.ctx.tx(async (ctx) => {
        const dispute = how === 'won' ? 'won' : 'open';
        await ctx.db.knex('payments').where(payment).update({ dispute });
        await orderEvents.tell(ctx, 'order.disputed', order.id, { paymentId: 'pay_1', how });
      });
    };
    await judged('opened');
    await bringBack();
    await tried();
    expect(await rowsOf(order)).toEqual(['failed']);
    await judged('won');
    expect([await rowsOf(order), await statesOf(order)]).toEqual([['minted'], ['ACTIVE']]);
  });

  it('because its product is gone is made of the one that the variant is sold with now', async () => {
    const { order, variantId } = await unmade();
    const other = await shop.app.product({ defaultMaxActivations: 3 });
    const grant = { licenseProductId: other.id, type: 'PERPETUAL', tier: 'PERSONAL' } as const;
    await setGrant(shop.app.ctx, variantId, grant);
    await tried();
    expect(await shop.licensesOf(order.order_number as string)).toMatchObject([
      { product_id: other.id, max_activations: 3 },
    ]);
  });
});

/** A return of which so many arrive. */
async function returned(order: Order, asked: number, arrived: number, resolution = 'refund') {
  const one = await tools.asked(order.id, itemOf(order), asked, { resolution });
  await tools.step(one.id, 'approve');
  const items = one.items.map(({ id }) => ({ id, received_quantity: arrived, condition: 'new' }));
  return tools.step(one.id, 'receive', { items });
}

describe('a return of which only a part arrives', () => {
  it('takes the licenses of that part when it is refunded; the others work again', async () => {
    const { order } = await boxes(3);
    const one = await returned(order, 2, 1);
    expect(await statesOf(order)).toEqual(['ACTIVE', 'SUSPENDED', 'SUSPENDED']);
    await tools.step(one.id, 'refund');
    expect(await statesOf(order)).toEqual(['ACTIVE', 'ACTIVE', 'REVOKED']);
  });

  it('takes the licenses of that part when it is exchanged; of seats as many', async () => {
    const { order, variantId } = await boxes(3);
    const one = await returned(order, 2, 1, 'exchange');
    await tools.step(one.id, 'exchange', { items: [{ variant_id: variantId, quantity: 1 }] });
    expect(await statesOf(order)).toEqual(['ACTIVE', 'ACTIVE', 'REVOKED']);
    const seats = await boxes(5, { type: 'FLOATING', quantityMode: 'seats', maxActivations: 2 });
    const back = await returned(seats.order, 4, 4, 'exchange');
    await tools.step(back.id, 'exchange', { items: [{ variant_id: seats.variantId, quantity: 4 }] });
    expect(await seatsOf(seats.order)).toEqual([2]);
    await refund(seats.order, 1);
    expect(await statesOf(seats.order)).toEqual(['REVOKED']);
  });
});

describe('what staff have suspended for another reason', () => {
  const abused = async (order: Order) => {
    const [mint] = await shop.mintsOf(order.id);
    await suspend(shop.app.ctx, mint?.license_id ?? '', { reason: 'ABUSE', note: null });
  };

  it('stays so after a return that is canceled, a dispute that is won and a refund that keeps', async () => {
    const { order } = await boxes(1, { onRefund: 'keep' });
    await abused(order);
    const one = await tools.asked(order.id, itemOf(order), 1);
    await tools.step(one.id, 'approve');
    await tools.step(one.id, 'cancel', { reason: 'kept' });
    expect(await statesOf(order)).toEqual(['SUSPENDED']);
    for (const how of ['opened', 'won'] as const)
      await shop.app.ctx.tx((ctx) =>
        orderEvents.tell(ctx, 'order.disputed', order.id, { paymentId: 'pay_1', how }),
      );
    expect(await statesOf(order)).toEqual(['SUSPENDED']);
    await refund(order, 1);
    expect([await rowsOf(order), await statesOf(order)]).toEqual([['kept'], ['SUSPENDED']]);
  });
});

it('what is given back while the shop sells no licenses stays given back', async () => {
  const { variantId } = await shop.licensed();
  const [refunded, cancelled] = [await shop.bought(variantId), (await boxes(1)).order];
  const isOn = (value: boolean) => settings.set(shop.app.ctx, { key: 'licenses_enabled', value });
  await isOn(false);
  await refund(refunded, 1);
  await refund(cancelled, 1);
  const later = await shop.bought(variantId);
  await isOn(true);
  await runJob(shop.app.ctx, 'retry-mints');
  expect([await statesOf(refunded), await statesOf(cancelled)]).toEqual([['REVOKED'], ['REVOKED']]);
  // What was sold without a license has none.
  expect(await rowsOf(later)).toEqual([]);
});
