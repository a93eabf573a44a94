// Invoices, credit notes and packing slips of orders: what they say, who gets them, and that they stay as they are
// (storefront-domain 4.5, decision 0065).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pagesOf } from '../support/pdf-text.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

let shop: OrderShop;
let secret: string;
beforeAll(async () => {
  shop = await openOrderShop();
  ({ secret } = await shop.app.adminToken('owner'));
});
afterAll(() => shop.app.close());

/** A file with its headers, and its text. */
async function file(path: string, { method = 'GET', token = secret } = {}) {
  const reply = await fetch(`${shop.app.url}/api/store${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
  });
  const bytes = Buffer.from(await reply.arrayBuffer());
  const isPdf = bytes.subarray(0, 5).toString() === '%PDF-';
  return {
    status: reply.status,
    headers: reply.headers,
    bytes,
    text: isPdf ? pagesOf(bytes).join('\n') : '',
  };
}
const rowsOf = (orderId: string) =>
  shop.knex()('invoices').where({ order_id: orderId }).orderBy('invoice_number').select('*');

it('an order gets its invoice when it is placed, and no number is left out', async () => {
  const { result: order, changes } = await shop.app.changesBy(async () =>
    shop.placed(await shop.stocked(5), 2),
  );
  const [invoice] = await rowsOf(order.id);
  expect(changes.rows).toMatchObject({ invoices: '+1' });
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
    'Ann Miller',
    '62701 Springfield IL',
    '$19.00',
    '$38.00',
    '$5.00',
    '$43.00',
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
});
