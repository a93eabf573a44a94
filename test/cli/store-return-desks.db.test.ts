// Commands about returns of the shop at both desks. Each desk has returns of its own, with their numbers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANN } from '../storefront/shopper.ts';
import { mug, storeClient } from '../storefront/store-client.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
let staff: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  desks = await openBothDesks();
  staff = await storeClient(desks.app);
  await staff.data('/settings', 'PATCH', { payment_processor: 'offline' });
});
afterAll(() => desks.close());

/** A return of one of two units that were paid and sent. @returns numbers of the return and of its order */
async function asked(tag: string): Promise<{ number: string; order: string }> {
  const sku = `BACK-${crypto.randomUUID()}`;
  const made = await staff.data(
    '/products',
    'POST',
    mug({ title: `Mug ${tag}`, status: 'active', variants: [{ sku, price_cents: 1900, stock: 9 }] }),
  );
  const order = await staff.data('/orders', 'POST', {
    email: `${tag}@example.test`,
    shipping_address: ANN,
    shipping_cents: 500,
    items: [{ variant_id: (made.variants as [{ id: string }])[0].id, quantity: 2 }],
  });
  await staff.data(`/orders/${order.id}/payments`, 'POST', { amount_cents: 4300, method: 'cash' });
  await staff.data(`/orders/${order.id}/shipments`, 'POST', { ship_now: true });
  const one = await staff.data('/returns', 'POST', {
    order_id: order.order_number,
    items: [
      {
        order_item_id: (order.items as [{ id: string }])[0].id,
        quantity: 1,
        reason_id: `rrs_${'5'.padStart(26, '0')}`,
      },
    ],
  });
  return { number: String(one.return_number), order: String(order.order_number) };
}

test('returns are listed, shown, approved, received and refunded after they were agreed to', () =>
  desks.atEach(async (desk) => {
    const { number, order } = await asked(desk.tag);
    const shown = await desk.answer<{ id: string }>(`store return show ${number}`);
    expect(shown).toMatchObject({ return_number: number, order_number: order, status: 'requested' });
    const list = async (filters: string) =>
      (await desk.answer<{ items: { id: string }[] }>(`store return list ${filters}`)).items.map(
        ({ id }) => id,
      );
    expect(await list(`--order ${order}`)).toEqual([shown.id]);
    expect(await list(`--q ${desk.tag}@ --status received`)).toEqual([]);
    const approve = `store return approve ${number}`;
    expect(await desk.failure(`store return receive ${number} --yes`)).toMatchObject({
      exit: 5,
      message: `return ${number} is requested: only an approved return or one in transit can be received`,
    });
    expect(await desk.failure(`store return refund ${number} --dry-run`)).toMatchObject({ exit: 5 });
    expect(await desk.failure(approve)).toMatchObject({ exit: 10 });
    expect(await desk.answer(`${approve} --yes --dry-run`)).toMatchObject({
      status: 'requested',
      dryRun: true,
    });
    expect(await desk.answer(`${approve} --yes`)).toMatchObject({ status: 'approved' });
    expect(await desk.failure(`${approve} --yes`)).toMatchObject({ exit: 5 });
    const receive = `store return receive ${number} --condition opened --yes`;
    expect(await desk.answer(receive)).toMatchObject({ status: 'received', items: [{ restock: true }] });
    const refund = `store return refund ${number} --fee 1.00`;
    expect(await desk.failure(`${refund.replace('1.00', 'much')} --yes`)).toMatchObject({ exit: 2 });
    expect(await desk.answer(`${refund} --dry-run`)).toMatchObject({ status: 'received', dryRun: true });
    expect(await desk.answer(`${refund} --yes`)).toMatchObject({
      status: 'completed',
      refunds: [{ amount_cents: 1800, status: 'succeeded' }],
    });
    expect(await desk.failure('store return show R9')).toMatchObject({
      exit: 3,
      hint: expect.stringMatching(/store return list$/),
    });
  }));

test('returns are rejected and canceled', () =>
  desks.atEach(async (desk) => {
    const { number } = await asked(`no-${desk.tag}`);
    const reject = ['store', 'return', 'reject', number, '--yes'];
    expect(await desk.failure(reject)).toMatchObject({ exit: 2 });
    expect(await desk.answer([...reject, '--reason', 'It was worn'])).toMatchObject({
      status: 'rejected',
      end_reason: 'It was worn',
    });
    const other = await asked(`off-${desk.tag}`);
    expect(await desk.answer(`store return cancel ${other.number} --yes`)).toMatchObject({
      status: 'cancelled',
    });
  }));
