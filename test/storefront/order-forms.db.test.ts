// Orders as a person works with them in the panel: contents, payments, shipments, and refunds before and after.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { headingOf, member, textOf } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

let shop: OrderShop;
let browser: Browser;
beforeAll(async () => {
  shop = await openOrderShop();
  ({ browser } = await member(shop.app));
});
afterAll(() => shop.app.close());

const get = (id: string) => shop.staff.data(`/orders/${id}`);
const wordsOf = async (path: string) => {
  const { status, text } = await browser.open(path);
  expect([path, status]).toEqual([path, 200]);
  return textOf(text);
};

it('an order shows its items, totals and addresses, and what belongs to it', async () => {
  const { id, order_number: number, items } = await shop.placed(await shop.stocked(3), 2);
  expect(await wordsOf('/store/orders')).toContain(number);
  const page = await wordsOf(`/store/orders/${id}`);
  for (const part of [
    items[0]?.sku,
    '$38.00',
    '$43.00',
    'Springfield',
    'Ann Miller',
    'Put on hold',
    'Cancel',
  ])
    expect(page).toContain(part);
  expect(await wordsOf(`/store/orders/${id}?tab=payments`)).toContain('$43.00');
  expect(await wordsOf(`/store/orders/${number}`)).toContain('$43.00');
  for (const tab of ['shipments', 'refunds', 'entries', 'history'])
    await wordsOf(`/store/orders/${id}?tab=${tab}`);
});

it('money is recorded in the currency of the shop, and everything that is left is shipped', async () => {
  const { id } = await shop.placed(await shop.stocked(3), 2, 'offline');
  const path = `/store/orders/${id}`;
  expect(await wordsOf(`${path}/payments/new`)).toContain('Amount (USD)');
  // The page of the order leads to the form, with what is due.
  const [, form = ''] =
    /href="([^"]*payments\/new\?[^"]*)">Record payment/.exec((await browser.open(path)).text) ?? [];
  expect((await browser.open(form)).text).toMatch(/name="amountCents"[^>]*value="43\.00"/);
  const paid = await browser.submit(`${path}/payments/new`, { amountCents: '43.00', method: 'check' });
  expect(paid.status).toBe(303);
  expect(await get(id)).toMatchObject({ status: 'processing', payment_status: 'paid' });
  await wordsOf(`${path}/shipments/new`);
  const sent = await browser.submit(`${path}/shipments/new`, { carrier: 'UPS', shipNow: 'true' });
  expect(sent.status).toBe(303);
  expect(await get(id)).toMatchObject({ status: 'shipped', fulfillment_status: 'fulfilled' });
  expect(await wordsOf('/store/shipments')).toContain('UPS');
});

it('a refund shows what goes back and what is left, and is made once', async () => {
  const { id, items } = await shop.placed(await shop.stocked(3), 2);
  const path = `/store/orders/${id}/refund`;
  const item = items[0]?.id ?? '';
  expect(await wordsOf(path)).toContain('2 can be refunded, $38.00 in all');
  const sent = {
    once: 'frm_1',
    item,
    quantity: '1',
    shipping: '5',
    adjustment: '',
    to: 'original',
    restock: 'no',
    notify: 'no',
    reason: 'Broken',
  };
  const shown = await browser.submit(path, { ...sent, do: 'check' });
  for (const part of ['$43.00', '$24.00', '$19.00', 'Reason: Broken', 'Original payment method'])
    expect(textOf(shown.text)).toContain(part);
  expect(await get(id)).toMatchObject({ refunded_cents: 0 });
  for (let press = 0; press < 2; press += 1)
    expect((await browser.submit(path, { ...sent, do: 'apply' })).status).toBe(303);
  expect(await get(id)).toMatchObject({ refunded_cents: 2400, payment_status: 'partially_refunded' });
  expect(await shop.knex()('email_log').where({ related_id: id, template: 'refund_issued' })).toEqual([]);
  const wrong = await browser.submit(path, { ...sent, once: 'frm_2', quantity: '2', do: 'check' });
  expect([wrong.status, textOf(wrong.text).includes('only 1 of')]).toEqual([400, true]);
  const typo = await browser.submit(path, { ...sent, shipping: 'much', do: 'check' });
  expect([typo.status, textOf(typo.text).includes('“much” is not an amount')]).toEqual([400, true]);
});

it('money that came by hand is paid back by hand: the form, the order and the payment link say what happens', async () => {
  const { id } = await shop.placed(await shop.stocked(2), 1, 'offline');
  const link = await browser.submit(`/store/orders/${id}/payment-link`, { email: 'ann@example.test' });
  expect(textOf(link.text)).toMatch(
    /The email to ann@example\.test is written to a file in .*: no mail server is set up\. Copy the link\. Email settings/,
  );
  const form = (await browser.open(`/store/orders/${id}/payments/new`)).text;
  expect(form).toContain('value="24.00"');
  expect(form).toMatch(/value="bank_transfer" selected[^>]*>Bank transfer</);
  expect(form).toContain(`href="/store/orders/${id}?tab=payments">Back to the order`);
  const paid = await browser.submit(`/store/orders/${id}/payments/new`, {
    amountCents: '24.00',
    method: 'bank_transfer',
  });
  expect(paid.headers.location).toBe(`/store/orders/${id}?tab=payments`);
  const path = `/store/orders/${id}/refund`;
  expect(await wordsOf(path)).toContain('You have to pay back up to $24.00 yourself');
  const sent = {
    ...{ once: 'frm_9', item: '', quantity: '', shipping: '', adjustment: '24.00' },
    ...{ to: 'original', restock: 'no', notify: 'no', reason: 'Late' },
  };
  const asked = await browser.submit(path, { ...sent, do: 'check' });
  expect(textOf(asked.text)).toContain('You have to pay back $24.00 yourself');
  const done = await browser.submit(path, { ...sent, do: 'apply' });
  expect(headingOf(done.text)).toBe('Pay back $24.00 yourself');
  const entries = await wordsOf(`/store/orders/${id}?tab=entries`);
  expect(entries).toMatch(/Refund F\d+ \$24\.00 succeeded \(you pay it back yourself\)/);
  expect(entries).toContain('bank transfer $24.00 captured');
  expect(headingOf((await browser.open(`/store/orders/${id}`)).text)).toMatch(
    /^Order \d+ · ann@example\.test · \$24\.00$/,
  );
});

it('leads to the documents of an order, of its parcels and refunds', async () => {
  const { id } = await shop.placed(await shop.stocked(3), 2);
  const api = `/api/store/orders/${id}`;
  const parcel = await shop.staff.data(`/orders/${id}/shipments`, 'POST', { ship_now: true });
  const refund = await shop.staff.data(`/orders/${id}/refunds`, 'POST', {
    adjustment_cents: 100,
    reason: 'A',
  });
  for (const [page, href] of [
    [`/store/orders/${id}`, `${api}/invoice.pdf`],
    [`/store/orders/${id}`, `${api}/document.pdf?number=${refund.credit_note_number}`],
    [`/store/orders/${id}`, `${api}/packing-slip.pdf`],
    [`/store/orders/${id}?tab=shipments`, `${api}/packing-slip.pdf?shipment_id=${parcel.id}`],
    [`/store/shipments/${parcel.id}`, `${api}/packing-slip.pdf?shipment_id=${parcel.id}`],
    [`/store/orders/${id}?tab=refunds`, `${api}/refunds/${refund.id}/credit-note.pdf`],
  ] as const) {
    expect([page, (await browser.open(page)).text.includes(`href="${href}"`)]).toEqual([page, true]);
    const { status, headers } = await browser.open(href);
    expect([href, status, headers['content-type']]).toEqual([href, 200, 'application/pdf']);
  }
  const shown = await wordsOf(`/store/orders/${id}/refunds/${refund.id}`);
  expect(shown).toContain('Amount $1.00');
  expect(shown).not.toContain(' cents');
  const again = await browser.submit(`/store/orders/${id}/emails`, { template: 'order_confirmation' });
  expect(again.status).toBeLessThan(400);
  expect(
    await shop.knex()('email_log').where({ related_id: id, template: 'order_confirmation' }),
  ).toHaveLength(2);
});

it('an order is held and cancelled by its buttons', async () => {
  const { id } = await shop.placed(await shop.stocked(3));
  expect((await browser.submit(`/store/orders/${id}/hold`, { reason: 'Call first' })).status).toBe(303);
  expect(await wordsOf(`/store/orders/${id}`)).toContain('Call first');
  const cancelled = await browser.submit(`/store/orders/${id}/cancel`, { reason: 'Asked', refund: 'full' });
  expect(cancelled.status).toBe(303);
  expect(await get(id)).toMatchObject({ status: 'cancelled', payment_status: 'refunded' });
});
