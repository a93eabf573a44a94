// Invoices, credit notes and packing slips of orders: what they say, who gets them, and that they stay as they are
// (storefront-domain 4.5, decision 0065).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueInvoice } from '#storefront/orders/documents/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { pagesOf } from '../support/pdf-text.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN } from './shopper.ts';

let shop: OrderShop;
let secret: string;
beforeAll(async () => {
  shop = await openOrderShop({ pins: { store_name: 'The Shop', store_tax_id: 'DE123456789' } });
  ({ secret } = await shop.app.adminToken('owner'));
});
afterAll(() => shop.app.close());

/** A file with its headers, and its text. */
async function file(path: string, { method = 'GET', token = secret, of = shop } = {}) {
  const reply = await fetch(`${of.app.url}/api/store${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
  });
  const bytes = Buffer.from(await reply.arrayBuffer());
  const isPdf = bytes.subarray(0, 5).toString() === '%PDF-';
  const text = isPdf ? pagesOf(bytes).join('\n') : bytes.toString();
  return { status: reply.status, headers: reply.headers, bytes, text };
}
const textOf = async (path: string): Promise<string> => {
  const { status, text } = await file(path);
  expect([path, status]).toEqual([path, 200]);
  return text;
};
const rowsOf = (orderId: string) =>
  shop.knex()('invoices').where({ order_id: orderId }).orderBy(['issued_at', 'id']).select('*');
const numbersOf = async (orderId: string): Promise<string[]> =>
  (await rowsOf(orderId)).map((row) => row.invoice_number);
const refund = (id: string, body: object) =>
  shop.staff.data(`/orders/${id}/refunds`, 'POST', { reason: 'Broken', ...body });

describe('an invoice', () => {
  it('is issued when an order is placed, and downloaded by its id or its number', async () => {
    const { result: order, changes } = await shop.app.changesBy(async () =>
      shop.placed(await shop.stocked(5), 2),
    );
    const [invoice] = await rowsOf(order.id);
    expect(changes.rows).toMatchObject({ invoices: '+1' });
    expect(await shop.staff.data(`/orders/${order.id}`)).toMatchObject({
      invoice_number: invoice.invoice_number,
    });
    const { status, headers, text, bytes } = await file(`/orders/${order.id}/invoice.pdf`);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'application/pdf',
      'private, no-store',
    ]);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="invoice-${invoice.invoice_number}.pdf"`,
    );
    for (const said of [
      'Invoice',
      `Number: ${invoice.invoice_number}`,
      `Order: ${order.order_number}`,
      'The Shop',
      'DE123456789',
      'Ann Miller',
      'Springfield, IL 62701',
      'United States',
      '$19.00',
      '$38.00',
      '$5.00',
      '-$43.00',
      '$0.00',
    ])
      expect(text).toContain(said);
    const head = await file(`/orders/${order.order_number}/invoice.pdf`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([
      200,
      String(bytes.length),
      0,
    ]);
    expect((await file(`/orders/${order.id}/invoice.pdf`)).bytes.equals(bytes)).toBe(true);
  });

  it('says the same after the shop was renamed, the address corrected and the money has come', async () => {
    const order = await shop.placed(await shop.stocked(5), 1, 'offline');
    const path = `/orders/${order.id}/invoice.pdf`;
    const before = await file(path);
    expect(before.text).toContain('$24.00');
    await shop.staff.data(`/orders/${order.id}`, 'PATCH', {
      shipping_address: { ...ANN, name: 'Somebody Else' },
    });
    await shop.staff.data(`/orders/${order.id}/payments`, 'POST', { amount_cents: 2400, method: 'cash' });
    await shop.staff.data('/settings', 'PATCH', { store_phone: '+49 30 1', store_address: 'Elsewhere 1' });
    const after = await file(path);
    expect(after.text).not.toMatch(/Somebody Else|Elsewhere/);
    expect(after.bytes.equals(before.bytes)).toBe(true);
    expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    expect(await textOf(`/orders/${order.id}/packing-slip.pdf`)).toContain('Somebody Else');
    await shop.staff.data('/settings', 'PATCH', { store_phone: null, store_address: null });
  });

  it('takes no number where its transaction fails, and is not issued twice', async () => {
    const order = await shop.placed(await shop.stocked(5), 1);
    const counter = async () =>
      Number((await shop.knex()('counters').where({ name: 'shop_invoice_number' }).first('value')).value);
    const before = await counter();
    const lost = await shop.placed(await shop.stocked(5), 1);
    const failing = shop.app.ctx.tx(async (ctx) => {
      await ctx.db.knex('invoices').where({ order_id: lost.id }).delete();
      await issueInvoice(ctx, await orders.lock(ctx, lost.id));
      throw new Error('lost');
    });
    await expect(failing).rejects.toThrow('lost');
    expect(await counter()).toBe(before + 1);
    await shop.app.ctx.tx(async (ctx) => issueInvoice(ctx, await orders.lock(ctx, order.id)));
    expect([await counter(), (await rowsOf(order.id)).length]).toEqual([before + 1, 1]);
  });

  it('is issued when it is asked for first, of an order of before there were any, once', async () => {
    const order = await shop.placed(await shop.stocked(5), 1);
    await shop.app.ctx.tx(({ db: { knex } }) => knex('invoices').where({ order_id: order.id }).delete());
    const replies = await Promise.all([1, 2, 3].map(() => file(`/orders/${order.id}/invoice.pdf`)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await numbersOf(order.id)).toHaveLength(1);
  });

  it('is none of an order that was not placed, of nobody else, and of nobody who may not read orders', async () => {
    const unplaced = await shop.placed(await shop.stocked(1), 1, 'fake', { source_id: 'needs_action' });
    const one = await shop.placed(await shop.stocked(1), 1);
    const other = await shop.placed(await shop.stocked(1), 1);
    const parcel = await shop.staff.data(`/orders/${other.id}/shipments`, 'POST', {});
    const back = await refund(other.id, { adjustment_cents: 100 });
    const missing = async (path: string) => (await file(path)).status;
    const { text } = await file(`/orders/${unplaced.id}/invoice.pdf`);
    expect(text).toContain('has no invoice yet: it is created when the order is placed');
    expect(await missing(`/orders/${unplaced.id}/invoice.pdf`)).toBe(404);
    expect(await missing('/orders/999999/invoice.pdf')).toBe(404);
    expect(await missing(`/orders/${one.id}/packing-slip.pdf?shipment_id=${parcel.id}`)).toBe(404);
    expect(await missing(`/orders/${one.id}/packing-slip.pdf?shipment_id=shp_no`)).toBe(404);
    expect(await missing(`/orders/${one.id}/packing-slip.pdf?shipment_id=${'x'.repeat(31)}`)).toBe(400);
    expect(await missing(`/orders/${one.id}/refunds/${back.id}/credit-note.pdf`)).toBe(404);
    const { key } = await shop.staff.data('/api-keys', 'POST', {
      name: 'catalog',
      scopes: ['products:read'],
    });
    for (const path of ['invoice.pdf', 'packing-slip.pdf'])
      expect((await file(`/orders/${one.id}/${path}`, { token: String(key) })).status).toBe(403);
    expect((await file(`/orders/${one.id}/invoice.pdf`, { token: 'nobody' })).status).toBe(401);
  });
});

describe('a credit note', () => {
  it('is issued with its own number when money has gone back: items, shipping, good will', async () => {
    const order = await shop.placed(await shop.stocked(5), 2);
    const item = order.items[0]?.id;
    const first = await refund(order.id, {
      items: [{ order_item_id: item, quantity: 1 }],
      shipping_cents: 500,
    });
    const second = await refund(order.id, { adjustment_cents: 300 });
    const [invoice, one, two] = await numbersOf(order.id);
    expect([one, two]).toEqual([
      expect.stringMatching(/^CN1\d{3}$/),
      `CN${Number(String(one).slice(2)) + 1}`,
    ]);
    expect([first.credit_note_number, second.credit_note_number]).toEqual([one, two]);
    const text = await textOf(`/orders/${order.id}/refunds/${first.id}/credit-note.pdf`);
    for (const said of ['Credit note', `For invoice: ${invoice}`, 'Refunded', '$24.00', 'Ann Miller'])
      expect(text).toContain(said);
    const will = await textOf(`/orders/${order.id}/refunds/${second.id}/credit-note.pdf`);
    for (const said of ['Price adjustment', '$3.00']) expect(will).toContain(said);
  });

  it('of a canceled order is its invoice once more', async () => {
    const order = await shop.placed(await shop.stocked(5), 2);
    await shop.staff.data(`/orders/${order.id}/cancel`, 'POST', { reason: 'Asked', refund: 'full' });
    const { refunds } = (await shop.staff.data(`/orders/${order.id}`)) as unknown as {
      refunds: [{ id: string; credit_note_number: string }];
    };
    const text = await textOf(`/orders/${order.id}/refunds/${refunds[0].id}/credit-note.pdf`);
    for (const said of [refunds[0].credit_note_number, '$19.00', '$38.00', '$5.00', '$43.00'])
      expect(text).toContain(said);
  });

  it('takes the invoice of an edited order back, which gets another one; what was paid too much gets none', async () => {
    const order = await shop.placed(await shop.stocked(5), 2);
    const [before] = await numbersOf(order.id);
    await shop.staff.data(`/orders/${order.id}/edit`, 'POST', { shipping_cents: 300, settle: 'refund' });
    const [was, note, now, ...others] = await rowsOf(order.id);
    expect([was.invoice_number, note.kind, now.kind, others]).toEqual([before, 'credit_note', 'invoice', []]);
    const text = await textOf(`/orders/${order.id}/invoice.pdf`);
    for (const said of ['$41.00', '-$41.00', '$0.00']) expect(text).toContain(said);
    const shown = (await shop.staff.data(`/orders/${order.id}`)) as unknown as {
      invoice_number: string;
      refunds: { amount_cents: number; credit_note_number: string | null }[];
    };
    expect([shown.invoice_number, shown.refunds]).toMatchObject([
      now.invoice_number,
      [{ amount_cents: 200, credit_note_number: null }],
    ]);
    const later = await refund(order.id, { adjustment_cents: 100 });
    expect(await textOf(`/orders/${order.id}/refunds/${later.id}/credit-note.pdf`)).toContain(
      `For invoice: ${now.invoice_number}`,
    );
  });
});

it('the invoice of a canceled order that nobody has paid is taken back, once', async () => {
  const order = await shop.placed(await shop.stocked(5), 2, 'offline');
  await shop.staff.data(`/orders/${order.id}/cancel`, 'POST', { reason: 'Asked' });
  const shown = (await shop.staff.data(`/orders/${order.id}`)) as unknown as {
    documents: { number: string; kind: string; total_cents: number }[];
  };
  expect(shown.documents).toMatchObject([
    { kind: 'invoice', total_cents: 4300 },
    { kind: 'credit_note', total_cents: 4300 },
  ]);
  const [invoice, note] = shown.documents;
  const path = `/orders/${order.id}/document.pdf?number=`;
  expect(await textOf(path + note?.number)).toContain(`For invoice: ${invoice?.number}`);
  expect(await textOf(path + invoice?.number)).toContain('Amount due');
  const other = await shop.placed(await shop.stocked(5), 1);
  for (const [of, number, status] of [
    [other.id, invoice?.number, 404],
    [order.id, 'INV1', 404],
    [order.id, '', 400],
  ])
    expect((await file(`/orders/${of}/document.pdf?number=${number}`)).status).toBe(status);
});

describe('a packing slip', () => {
  it('has what goes into a parcel, or all that is shipped, without amounts', async () => {
    const order = await shop.placed(await shop.stocked(5), 3);
    const item = order.items[0]?.id;
    const parcel = await shop.staff.data(`/orders/${order.id}/shipments`, 'POST', {
      items: [{ order_item_id: item, quantity: 2 }],
    });
    const part = await file(`/orders/${order.id}/packing-slip.pdf?shipment_id=${parcel.id}`);
    expect(part.headers.get('content-disposition')).toBe(
      `attachment; filename="packing-slip-${order.order_number}-1.pdf"`,
    );
    expect(part.text).toContain(`Number: ${order.order_number}-1`);
    expect(part.text.split('\n')).toContain('2');
    expect(part.text).not.toContain('$');
    const all = await textOf(`/orders/${order.id}/packing-slip.pdf`);
    expect(all.split('\n')).toContain('3');
  });

  it('of several orders are one file, each order on a page of its own, once', async () => {
    const first = await shop.placed(await shop.stocked(5), 1);
    const second = await shop.placed(await shop.stocked(5), 2);
    const path = '/orders/packing-slips.pdf?ids=';
    const { status, bytes } = await file(`${path}${first.id},${second.order_number},${first.id}`);
    expect([status, pagesOf(bytes).map((text) => /Number: (\S+)/.exec(text)?.[1])]).toEqual([
      200,
      [first.order_number, second.order_number],
    ]);
    expect((await file(`${path}${first.id},999999`)).status).toBe(404);
    const most = Array.from({ length: 101 }, (_, at) => at);
    for (const ids of ['', ',', most.join(',')])
      expect([ids, (await file(path + ids)).status]).toEqual([ids, 400]);
  });

  it('is none of an order with nothing to ship', async () => {
    const sku = `FILE-${crypto.randomUUID()}`;
    const goods = { type: 'digital', variants: [{ sku, price_cents: 900 }] };
    const { id } = await shop.placed(await shop.stocked(0, goods));
    expect(await shop.staff.refusal(`/orders/${id}/packing-slip.pdf`, 'GET')).toEqual([
      400,
      'VALIDATION_ERROR',
      'NOTHING_TO_SHIP',
    ]);
  });
});

it.each([
  ['Αλέξανδρος Παπαδόπουλος', null],
  ['Владимир Ёлкин', null],
  ['王小明', 'Letters that the font of this document does not have'],
])('%s is printed, or it is said which letters are missing', async (name, note) => {
  const order = await shop.placed(await shop.stocked(1), 1, 'fake', {
    shipping_address: { ...ANN, name },
  });
  const text = await textOf(`/orders/${order.id}/invoice.pdf`);
  if (note === null) expect(text).toContain(name);
  else for (const said of [note, 'U+738B U+5C0F U+660E']) expect(text).toContain(said);
});

describe.each([
  ['JPY', '¥1,900', '¥303'],
  ['BHD', 'BHD\u00a01.900', 'BHD\u00a00.303'],
])('with prices of %s that include a tax', (currency, unit, tax) => {
  let priced: OrderShop;
  beforeAll(async () => {
    priced = await openOrderShop({ pins: { currency_code: currency, prices_include_tax: 'true' } });
    const { body } = await priced.staff.send('/tax/classes?per_page=100');
    const idOf = (code: string) =>
      (body.data as unknown as { id: string; code: string }[]).find((one) => one.code === code)?.id;
    const zone = await priced.staff.data('/tax/zones', 'POST', {
      name: 'Home',
      regions: [{ country: 'US' }],
    });
    for (const [name, code] of [
      ['VAT', 'standard'],
      ['Freight', 'shipping'],
    ] as const)
      await priced.staff.data(`/tax/zones/${zone.id}/rates`, 'POST', {
        name,
        tax_class_id: idOf(code),
        rate_ppm: 190_000,
        applies_to_shipping: code === 'shipping',
      });
  });
  afterAll(() => priced.app.close());

  /** What the documents of an order say, in the order in which they were issued. */
  const contentsOf = async (orderId: string) =>
    (
      await priced
        .knex()('invoices')
        .where({ order_id: orderId })
        .orderBy(['issued_at', 'id'])
        .select('content')
    ).map(({ content }) => (typeof content === 'string' ? JSON.parse(content) : content));

  it('net amounts and taxes by rate add up to the total, on invoices and credit notes', async () => {
    const order = await priced.placed(await priced.stocked(3), 1);
    const { secret: token } = await priced.app.adminToken('owner');
    const { text } = await file(`/orders/${order.id}/invoice.pdf`, { token, of: priced });
    for (const said of [unit, tax, 'Freight', '19%']) expect(text).toContain(said);
    for (const cents of [250, 249, 1])
      await priced.staff.data(`/orders/${order.id}/refunds`, 'POST', {
        shipping_cents: cents,
        reason: 'Late',
      });
    await priced.staff.data(`/orders/${order.id}/refunds`, 'POST', {
      items: [{ order_item_id: order.items[0]?.id, quantity: 1 }],
      reason: 'Broken',
    });
    const [invoice, ...notes] = await contentsOf(order.id);
    expect(invoice).toMatchObject({
      totalCents: 2400,
      subtotalCents: 1597,
      shippingCents: 420,
      taxCents: 383,
    });
    expect(invoice.taxes).toEqual([
      { name: 'VAT', ratePpm: 190_000, netCents: 1597, taxCents: 303 },
      { name: 'Freight', ratePpm: 190_000, netCents: 420, taxCents: 80 },
    ]);
    for (const one of [invoice, ...notes])
      expect(one.subtotalCents + one.shippingCents + one.taxCents).toBe(one.totalCents);
    for (const name of ['subtotalCents', 'shippingCents', 'taxCents', 'totalCents'])
      expect([name, notes.reduce((sum, one) => sum + one[name], 0)]).toEqual([name, invoice[name]]);
  });
});
