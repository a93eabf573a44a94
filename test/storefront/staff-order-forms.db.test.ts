// Orders that staff write in the panel: a draft, placing it, its payment link, edits before and after, addresses, parcels.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

let shop: OrderShop;
let browser: Browser;
beforeAll(async () => {
  shop = await openOrderShop();
  ({ browser } = await member(shop.app));
});
afterAll(() => shop.app.close());

type Order = Record<string, unknown> & {
  id: string;
  order_number: string;
  items: { id: string; sku: string }[];
};
const get = async (id: string) => (await shop.staff.data(`/orders/${id}`)) as unknown as Order;
const skuOf = async (variantId: string): Promise<string> =>
  (await shop.knex()('product_variants').where({ id: variantId }).first('sku')).sku;
const wordsOf = async (path: string) => {
  const { status, text } = await browser.open(path);
  expect([path, status]).toEqual([path, 200]);
  return textOf(text);
};
const ADDRESS = {
  name: 'Fay Moss',
  line1: '2 Oak Street',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
  country: 'US',
};

async function drafted(fields: Record<string, string>): Promise<string> {
  const { status, headers, text } = await browser.submit('/store/orders/new', fields);
  expect([status, textOf(text).slice(0, 200)]).toEqual([303, expect.anything()]);
  return String(headers.location).split('/').at(-1) as string;
}

it('a draft is written by SKU, shown, edited and placed with a link', async () => {
  const variantId = await shop.stocked(9);
  const sku = await skuOf(variantId);
  expect(await wordsOf('/store/orders')).toContain('New order');
  expect(await wordsOf('/store/orders/new')).toContain('One per line: SKU, quantity');
  const id = await drafted({
    email: 'fay@example.test',
    items: `${sku}, 2\n\n${sku.toLowerCase()}; 1; 15.50`,
    ...ADDRESS,
    method: shop.methodId,
    discount: '3.50',
    label: 'Regular',
  });
  expect(await get(id)).toMatchObject({ status: 'draft', total_cents: 5500, order_discount_cents: 350 });
  const page = await wordsOf(`/store/orders/${id}`);
  for (const text of ['Place order', 'Edit items', 'Change addresses', '$55.00'])
    expect(page).toContain(text);
  expect(page).not.toContain('Send payment link');

  const sent = {
    item: (await get(id)).items[0]?.id ?? '',
    quantity: '0',
    price: '',
    add: `${sku}, 3`,
    shipping: '5.00',
    settle: 'none',
  };
  const shown = await browser.submit(`/store/orders/${id}/edit`, { ...sent, do: 'check' });
  for (const text of ['$55.00', '$74.00', 'Change the order']) expect(textOf(shown.text)).toContain(text);
  expect(await get(id)).toMatchObject({ total_cents: 5500 });
  const changed = await browser.submit(`/store/orders/${id}/edit`, {
    ...sent,
    expected: '7400',
    do: 'apply',
  });
  expect([changed.status, changed.headers.location]).toEqual([303, `/store/orders/${id}`]);
  expect(await get(id)).toMatchObject({
    total_cents: 7400,
    items: [{ quantity: 1, unit_cents: 1550 }, { quantity: 3 }],
  });

  expect(await wordsOf(`/store/orders/${id}/place`)).toContain('Reserved until');
  const stale = await browser.submit(`/store/orders/${id}/place`, { payment: 'link', expected: '1' });
  expect([stale.status, textOf(stale.text)]).toEqual([400, expect.stringContaining('The total has changed')]);
  expect(
    (await browser.submit(`/store/orders/${id}/place`, { payment: 'link', expected: '7400' })).status,
  ).toBe(303);
  expect(await get(id)).toMatchObject({ status: 'pending', placed_at: null });
  expect(await wordsOf(`/store/orders/${id}`)).toContain('Send payment link');
  const linked = await browser.submit(`/store/orders/${id}/payment-link`, { email: 'other@example.test' });
  expect([linked.status, textOf(linked.text)]).toEqual([
    200,
    expect.stringMatching(/other@example\.test.*\/shop\/pay\/[\w-]{43}/s),
  ]);
  const wrong = await browser.submit(`/store/orders/${id}/payment-link`, { email: 'nobody' });
  expect([wrong.status, textOf(wrong.text)]).toEqual([
    400,
    expect.stringContaining('is not a valid email address'),
  ]);
});

it('what is typed wrong is said beside its field', async () => {
  const sku = await skuOf(await shop.stocked(1));
  const good = { email: 'gus@example.test', items: `${sku}, 1`, ...ADDRESS, shipping: '0' };
  const faults: [Record<string, string>, string][] = [
    [{ email: 'gus' }, 'email'],
    [{ items: '' }, 'at least one item'],
    [{ items: 'NO-SUCH-SKU, 1' }, 'no product has the SKU NO-SUCH-SKU'],
    [{ items: `${sku}, many` }, 'is not a quantity'],
    [{ items: `${sku}, 1, cheap` }, 'is not an amount'],
    [{ shipping: '1.234' }, 'decimal places'],
    [{ country: 'ZZ' }, 'is not a country'],
    [{ discount: '99.00' }, 'more than'],
    [{ code: 'NOTHING' }, 'code NOTHING cannot be used'],
  ];
  for (const [fields, says] of faults) {
    const { status, text } = await browser.submit('/store/orders/new', { ...good, ...fields });
    expect([fields, status, textOf(text)]).toEqual([fields, 400, expect.stringContaining(says)]);
  }
});

it('an order that is paid is changed with a refund of what is too much', async () => {
  const { id } = await shop.placed(await shop.stocked(5), 2);
  const sent = {
    item: (await get(id)).items[0]?.id ?? '',
    quantity: '1',
    price: '19.00',
    add: '',
    shipping: '5.00',
    settle: 'refund',
  };
  const shown = await browser.submit(`/store/orders/${id}/edit`, { ...sent, do: 'check' });
  expect(textOf(shown.text)).toContain('Refund the overpaid amount');
  await browser.submit(`/store/orders/${id}/edit`, { ...sent, expected: '2400', do: 'apply' });
  expect(await get(id)).toMatchObject({ total_cents: 2400, totals: { due_cents: 0, refunded_cents: 1900 } });
});

it('addresses and email are changed on a page of their own', async () => {
  const { id } = await shop.placed(await shop.stocked(1));
  const path = `/store/orders/${id}/addresses`;
  const { text } = await browser.open(path);
  expect(text).toContain('value="Springfield"');
  const same = Object.fromEntries(
    [...text.matchAll(/name="((?:shipping|billing)_\w+)"[^>]*? value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  ) as Record<string, string>;
  const moved = await browser.submit(path, { ...same, email: 'hal@example.test', shipping_city: 'Chicago' });
  expect(moved.status).toBe(303);
  expect(await get(id)).toMatchObject({
    email: 'hal@example.test',
    addresses: { shipping: { city: 'Chicago' }, billing: { city: 'Springfield' } },
  });
  const bad = await browser.submit(path, { ...same, email: 'hal@example.test', billing_country: 'XX' });
  expect([bad.status, textOf(bad.text)]).toEqual([400, expect.stringContaining('is not a country')]);
});

it('a part of an order is shipped from its form, and what is left is canceled after its before and after', async () => {
  const { id } = await shop.placed(await shop.stocked(5), 3);
  const item = (await get(id)).items[0]?.id ?? '';
  const path = `/store/orders/${id}/ship`;
  expect(await wordsOf(path)).toContain('3 of 3 are left to ship');
  const none = await browser.submit(path, { item, quantity: '0' });
  expect([none.status, textOf(none.text)]).toEqual([400, expect.stringContaining('at least one unit')]);
  const many = await browser.submit(path, { item, quantity: '4' });
  expect([many.status, textOf(many.text)]).toEqual([400, expect.stringContaining('more than is left')]);
  const sent = {
    carrier: 'DHL',
    trackingNumber: 'T-1',
    trackingUrl: 'https://track.example/T-1',
    shipNow: 'true',
  };
  const made = await browser.submit(path, { item, quantity: '1', ...sent });
  expect([made.status, made.headers.location]).toEqual([303, `/store/orders/${id}?tab=shipments`]);
  expect(await get(id)).toMatchObject({ fulfillment_status: 'partially_fulfilled' });
  const asked = await wordsOf(`/store/orders/${id}/cancel`);
  expect(asked).toContain(
    'Now: processing, paid, 1 unit shipped. Then: the 2 units left to ship are canceled',
  );
  expect(asked).toContain('To undo this');
  await browser.submit(`/store/orders/${id}/cancel`, { reason: 'Out of production', refund: 'full' });
  expect(await get(id)).toMatchObject({ status: 'shipped', totals: { refunded_cents: 3800 } });
});

it('cancelling, capturing and voiding say what is and what would be', async () => {
  const { id } = await shop.placed(await shop.stocked(2), 2);
  const asked = await wordsOf(`/store/orders/${id}/cancel`);
  for (const text of [
    '0 units shipped. Then: canceled.',
    '2 units come back',
    'with refund full, $43.00 is refunded',
  ])
    expect(asked).toContain(text);
  await shop.staff.data('/settings', 'PATCH', { payment_capture_mode: 'manual' });
  const held = await shop.placed(await shop.stocked(1), 1);
  const [payment] = (await get(held.id)).payments as unknown as { id: string; status: string }[];
  expect(payment?.status).toBe('authorized');
  const page = `/store/orders/${held.id}/payments/${payment?.id}`;
  expect(await wordsOf(`${page}/capture`)).toContain(
    'Now: $24.00 is authorized. Then: the amount that you enter',
  );
  expect(await wordsOf(`${page}/void`)).toContain('Then: none of it can be charged');
  await shop.staff.data('/settings', 'PATCH', { payment_capture_mode: 'automatic' });
});

it('viewers have no pages that change orders', async () => {
  const { id } = await shop.placed(await shop.stocked(1));
  const { browser: viewer } = await member(shop.app, ['orders:read']);
  for (const path of [
    'new',
    `${id}/edit`,
    `${id}/addresses`,
    `${id}/ship`,
    `${id}/payment-link`,
    `${id}/place`,
  ])
    expect([path, (await viewer.open(`/store/orders/${path}`)).status]).toEqual([path, 403]);
});
