// Commands about orders and promotions of the shop at both desks. Each desk has orders of its own, with their numbers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

/** An order of two things for an address of the desk; paid, unless it is not to be. @returns its number */
async function ordered(tag: string, { isPaid = true } = {}): Promise<string> {
  const sku = `CLI-${crypto.randomUUID()}`;
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
  if (isPaid)
    await staff.data(`/orders/${order.id}/payments`, 'POST', { amount_cents: 4300, method: 'cash' });
  return String(order.order_number);
}

describe('orders of the shop', () => {
  test('are listed by status, payment and address, and shown by number and id', () =>
    desks.atEach(async (desk) => {
      const number = await ordered(desk.tag);
      const shown = await desk.answer<{ id: string }>(`store order show ${number}`);
      expect(shown).toMatchObject({ order_number: number, total_cents: 4300 });
      expect(await desk.answer(`store order show ${shown.id}`)).toMatchObject({ id: shown.id });
      const found = async (filters: string) => {
        const line = `store order list --q ${desk.tag}@ ${filters}`;
        return (await desk.answer<{ items: { id: string }[] }>(line)).items.map(({ id }) => id);
      };
      expect(await found('--status processing --payment paid')).toEqual([shown.id]);
      expect(await found('--payment unpaid')).toEqual([]);
      expect(await found('--not-placed')).toEqual([]);
      expect(await desk.failure('store order show 999999')).toMatchObject({
        exit: 3,
        hint: expect.stringMatching(/store order list$/),
      });
    }));

  test('are shipped, noted and completed', () =>
    desks.atEach(async (desk) => {
      const number = await ordered(`ship-${desk.tag}`);
      const line = `store order ship ${number} --carrier UPS --tracking 1Z`;
      expect(await desk.answer(`${line} --dry-run`)).toMatchObject({ dryRun: true });
      expect(await desk.answer(`store order show ${number}`)).toMatchObject({ status: 'processing' });
      expect(await desk.answer(line)).toMatchObject({ status: 'shipped', fulfillment_status: 'fulfilled' });
      expect(await desk.failure(line)).toMatchObject({ exit: 5 });
      const noted = await desk.answer<{ events: { body: string | null }[] }>([
        'store',
        'order',
        'note',
        number,
        'Call before delivery',
      ]);
      expect(noted.events.map(({ body }) => body)).toContain('Call before delivery');
      expect(await desk.failure(`store order complete ${number}`)).toMatchObject({ exit: 10 });
      expect(await desk.answer(`store order complete ${number} --yes`)).toMatchObject({
        status: 'completed',
      });
    }));

  test('get a license that is made by hand, which the order shows', () =>
    desks.atEach(async (desk) => {
      const number = await ordered(`mint-${desk.tag}`);
      const { slug } = await desks.app.product({ slug: `by-hand-${desk.tag}` });
      const line = `license mint --product ${slug} --email ${desk.tag}@example.test`;
      const license = await desk.answer<{ id: string }>(`${line} --order ${number}`);
      expect(await desk.answer(`store order show ${number}`)).toMatchObject({
        licenses: [{ license_id: license.id, status: 'minted' }],
      });
      expect(await desk.failure(`${line} --order 999999`)).toMatchObject({
        exit: 3,
        hint: expect.stringContaining('store order list'),
      });
      const made = await desk.answer<{ items: object[] }>(`license list --product ${slug}`);
      expect(made.items).toHaveLength(1);
    }));

  test('say that a license is waiting for the payment, and flags by name what is wrong with a license', () =>
    desks.atEach(async (desk) => {
      const sku = `KEY-${desk.tag.toUpperCase()}`;
      const { id, variants } = await staff.data('/products', 'POST', {
        title: `Editor ${desk.tag}`,
        type: 'license',
        variants: [{ sku, price_cents: 4900 }],
      });
      const { slug } = await desks.app.product({ slug: `key-${desk.tag}` });
      const set = `store variant license set ${sku} --product`;
      expect(await desk.failure(`${set} editr`)).toMatchObject({
        exit: 3,
        message: '--product: license product editr does not exist',
        hint: expect.stringMatching(/product list$/),
      });
      expect(await desk.failure(`${set} ${slug} --policy lax`)).toMatchObject({ exit: 3 });
      const timeless = await desk.failure(`${set} ${slug} --type TRIAL`);
      expect(timeless.message).toMatch(/^--days is required: a TRIAL/);
      expect(await desk.failure(`${set} ${slug} --days 30`)).toMatchObject({
        exit: 2,
        hint: expect.stringContaining('--type SUBSCRIPTION'),
      });
      const days = await desk.answer(`${set} ${slug} --days 30 --type SUBSCRIPTION`);
      expect(days).toMatchObject({ type: 'SUBSCRIPTION', duration_days: 30 });
      expect(await desk.answer(`${set} ${slug}`)).toMatchObject({ type: 'PERPETUAL', duration_days: null });
      await staff.data(`/products/${id}/publish`, 'POST', {});
      const order = await staff.data('/orders', 'POST', {
        email: `key-${desk.tag}@example.test`,
        items: [{ variant_id: (variants as [{ id: string }])[0].id, quantity: 1 }],
      });
      const shown = await desk.run(`store order show ${order.order_number}`);
      expect(shown.stdout).toContain(`1 × Editor ${desk.tag}  is waiting for the payment`);
      expect(shown.stdout).not.toContain('missing');
    }));

  test('are refunded and cancelled after they were agreed to', () =>
    desks.atEach(async (desk) => {
      const number = await ordered(`back-${desk.tag}`);
      const refund = `store order refund ${number} --reason Scratch`;
      expect(await desk.failure(`${refund} --amount 5.00`)).toMatchObject({ exit: 10 });
      for (const amount of ['much', '1.999', '-5', '']) {
        const failed = await desk.failure([...refund.split(' '), '--amount', amount, '--yes']);
        expect([amount, failed.exit]).toEqual([amount, 2]);
      }
      expect(await desk.failure(`${refund} --yes`)).toMatchObject({ exit: 2 });
      expect(await desk.answer(`${refund} --amount 5.00 --yes --dry-run`)).toMatchObject({
        refunded_cents: 0,
        dryRun: true,
      });
      expect(await desk.answer(`${refund} --amount 5.00 --yes`)).toMatchObject({ refunded_cents: 500 });
      expect(await desk.failure(`${refund} --amount 99.00 --yes`)).toMatchObject({ exit: 2 });
      const cancel = `store order cancel ${number} --reason Asked --refund`;
      expect(await desk.failure(cancel)).toMatchObject({ exit: 10 });
      expect(await desk.answer(`${cancel} --yes`)).toMatchObject({
        status: 'cancelled',
        refunded_cents: 4300,
      });
      expect(await desk.failure(`${cancel} --yes`)).toMatchObject({ exit: 5 });
    }));
});

test('promotions are listed, activated, paused and archived', () =>
  desks.same(async (desk) => {
    const { id } = await staff.data('/promotions', 'POST', {
      name: `Sale ${desk.tag}`,
      type: 'coupon',
      class: 'order',
      effect: 'percent',
      value: 1000,
      code: `CLI-${desk.tag}`,
    });
    expect(await desk.answer(`store promotion show ${id}`)).toMatchObject({ id, status: 'draft' });
    expect(await desk.answer(`store promotion show cli-${desk.tag}`)).toMatchObject({ id });
    expect(await desk.answer(`store promotion activate ${id} --dry-run`)).toMatchObject({ dryRun: true });
    expect(await desk.answer(`store promotion activate ${id}`)).toMatchObject({ status: 'active' });
    const { items } = await desk.answer<{ items: { id: string }[] }>(
      `store promotion list --status active --q CLI-${desk.tag}`,
    );
    expect(items.map((one) => one.id)).toEqual([id]);
    expect(await desk.answer(`store promotion pause ${id}`)).toMatchObject({ status: 'paused' });
    expect(await desk.failure(`store promotion archive ${id}`)).toMatchObject({ exit: 10 });
    expect(await desk.answer(`store promotion archive ${id} --yes`)).toMatchObject({ status: 'archived' });
    expect(await desk.failure(`store promotion activate ${id}`)).toMatchObject({ exit: 5 });
    expect(await desk.failure('store promotion show pro_nothing')).toMatchObject({
      exit: 3,
      hint: expect.stringMatching(/store promotion list$/),
    });
  }));
