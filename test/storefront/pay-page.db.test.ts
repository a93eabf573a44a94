// The page of a mailed link to pay, by its form alone, as a browser without JavaScript sends it (shop-pages 2.3).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser, tokenIn } from '../support/browser.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN } from './shopper.ts';

let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop();
});
afterAll(() => shop.app.close());

type Order = Record<string, unknown> & { id: string; order_number: string };

/** An order of one thing that waits for its money, and the path of its link. */
async function asked(quantity = 1) {
  const order = (await shop.staff.data('/orders', 'POST', {
    email: 'eva@example.test',
    shipping_address: ANN,
    shipping_method_id: shop.methodId,
    items: [{ variant_id: await shop.stocked(quantity), quantity }],
    send_payment_link: true,
  })) as unknown as Order;
  const { url } = (await shop.staff.data(`/orders/${order.id}/payment-link`, 'POST')) as unknown as {
    url: string;
  };
  return { order, path: new URL(url).pathname };
}
const get = async (id: string) => (await shop.staff.data(`/orders/${id}`)) as unknown as Order;
async function sent(path: string, fields: Record<string, string>) {
  const browser = openBrowser(shop.app.send);
  const { text } = await browser.open(path);
  return browser.post(path, { _csrf: tokenIn(text), ...fields });
}

it('shows what is due and changes nothing until its form is sent', async () => {
  const { order, path } = await asked(2);
  const browser = openBrowser(shop.app.send);
  const { result, changes } = await shop.app.changesBy(() => browser.open(path));
  expect(result.status).toBe(200);
  for (const text of [
    `Pay for order ${order.order_number}`,
    '$43.00 due',
    'Pay $43.00',
    'name="expected" value="4300"',
  ])
    expect(result.text).toContain(text);
  expect(result.headers['cache-control']).toContain('no-store');
  expect(changes.events).toEqual([]);
  expect((await browser.open(`${path}?lang=de`)).text).toContain('Zu bezahlen: 43,00');

  const paid = await sent(path, { processor: 'fake', source: 'ok', expected: '4300' });
  expect([paid.status, paid.headers.location]).toEqual([303, path]);
  expect(await get(order.id)).toMatchObject({ status: 'processing', payment_status: 'paid' });
  const done = await openBrowser(shop.app.send).open(path);
  expect(done.text).toContain('This order is paid. Thank you.');
  expect(done.text).not.toContain('<form class="stack"');
});

it('a declined payment is said, and another way may be chosen', async () => {
  const { order, path } = await asked();
  const declined = await sent(path, { processor: 'fake', source: 'declined', expected: '2400' });
  expect([declined.status, declined.text]).toEqual([400, expect.stringContaining('you were not charged')]);
  const offline = await sent(path, { processor: 'offline', expected: '2400' });
  expect([offline.status, offline.headers.location]).toEqual([303, path]);
  expect(await get(order.id)).toMatchObject({
    status: 'pending',
    processor: 'offline',
    totals: { due_cents: 2400 },
  });
  expect((await openBrowser(shop.app.send).open(path)).text).toContain('The shop is expecting your payment.');
  await sent(path, { processor: 'fake', source: 'ok', expected: '2400' });
  expect(await get(order.id)).toMatchObject({ status: 'processing', payment_status: 'paid' });
});

it('goes to the page of the processor and comes back with what it says', async () => {
  const { order, path } = await asked();
  const gone = await sent(path, { processor: 'fake', source: 'needs_action', expected: '2400' });
  expect(gone.status).toBe(200);
  expect(String(gone.headers.refresh)).toMatch(new RegExp(`^0; url=http.+${path}/return$`));
  const back = await openBrowser(shop.app.send).open(`${path}/return`);
  expect([back.status, back.headers.location]).toEqual([303, path]);
  expect(await get(order.id)).toMatchObject({ payment_status: 'paid' });
  const { path: waits } = await asked();
  const pending = await sent(waits, { processor: 'fake', source: 'pending', expected: '2400' });
  expect(pending.headers.location).toBe(`${waits}/return`);
  expect((await openBrowser(shop.app.send).open(`${waits}/return`)).text).toContain(
    'Your payment is being confirmed',
  );
});

it('what was changed meanwhile is looked at first, and a link that has ended says where to get a new one', async () => {
  const { order, path } = await asked();
  await shop.staff.data(`/orders/${order.id}/edit`, 'POST', { shipping_cents: 900 });
  const changed = await sent(path, { processor: 'fake', source: 'ok', expected: '2400' });
  expect([changed.status, changed.text]).toEqual([400, expect.stringContaining('The order has changed.')]);
  const wrong = await sent(path, { processor: 'gold', expected: '2800' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('is not available right now')]);
  await shop.staff.data(`/orders/${order.id}/cancel`, 'POST', { reason: 'Sold elsewhere' });
  expect((await openBrowser(shop.app.send).open(path)).text).toContain('This order was canceled.');
  for (const unknown of [
    `/shop/pay/${'x'.repeat(43)}`,
    '/shop/pay/1',
    `/shop/pay/${'x'.repeat(43)}/return`,
  ]) {
    const { status, text } = await openBrowser(shop.app.send).open(unknown);
    expect([unknown, status, text]).toEqual([
      unknown,
      404,
      expect.stringMatching(/Ask the shop for a new link.*href="\/shop\/contact">Contact us/s),
    ]);
  }
});

it('with bank transfer alone it says how to pay, and has no button that would pay nothing', async () => {
  const bank = await openOrderShop({
    pins: {
      payment_processor: 'offline',
      payment_processors_enabled: '[]',
      offline_instructions: 'IBAN DE00 1234',
    },
  });
  try {
    const order = await bank.placed(await bank.stocked(1), 1, 'offline');
    const link = await bank.staff.data(`/orders/${order.id}/payment-link`, 'POST');
    const path = new URL(String(link.url)).pathname;
    const { status, text } = await openBrowser(bank.app.send).open(path);
    expect(status).toBe(200);
    for (const said of ['IBAN DE00 1234', 'The shop is expecting your payment.', '$24.00 due'])
      expect(text).toContain(said);
    expect(text).not.toMatch(/Pay \$24\.00|<form class="stack"/);
    const waiting = await bank.staff.data('/orders', 'POST', {
      email: 'eva@example.test',
      shipping_address: ANN,
      shipping_method_id: bank.methodId,
      items: [{ variant_id: await bank.stocked(1), quantity: 1 }],
      send_payment_link: true,
    });
    const first = await bank.staff.data(`/orders/${waiting.id}/payment-link`, 'POST');
    const shown = await openBrowser(bank.app.send).open(new URL(String(first.url)).pathname);
    expect(shown.text).toMatch(/<button type="submit">Place order</);
    expect(shown.text).not.toContain('Pay $24.00');
  } finally {
    await bank.app.close();
  }
});
