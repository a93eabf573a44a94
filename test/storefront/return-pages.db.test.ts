// Returns as customers see them by the link of their order, and as staff work on them in the panel.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { get as getOrder, openAccess, orderPath } from '#storefront/orders/orders/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import { openBrowser, tokenIn } from '../support/browser.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { CHANGED_MIND, DAMAGED, returnTools } from './return-shop.ts';

let shop: OrderShop;
let tools: ReturnType<typeof returnTools>;
beforeAll(async () => {
  shop = await openOrderShop();
  tools = returnTools(shop);
});
afterAll(() => shop.app.close());

const pathOf = async (orderId: string) =>
  orderPath(await openAccess(shop.app.ctx, await getOrder(shop.app.ctx, orderId)));
/** Sends a form of a page, with the token that the page has. */
async function sent(page: string, action: string, form: Record<string, string>) {
  const browser = openBrowser(shop.app.send);
  const { text } = await browser.open(page);
  return browser.post(action, { _csrf: tokenIn(text), ...form });
}

it('a guest asks for a return by the link of the order, tells the tracking, writes and sees it', async () => {
  const { order, item } = await tools.delivered(2);
  const path = await pathOf(order.id);
  const browser = openBrowser(shop.app.send);
  expect((await browser.open(path)).text).toContain(`${path}/return`);
  const form = await browser.open(`${path}/return`);
  expect(form.text).toContain('Up to 2 can be returned.');
  const once = /name="once" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
  const fields = { once, item, quantity: '1', reason: CHANGED_MIND, note: '', resolution: 'refund' };
  const asked = await sent(`${path}/return`, `${path}/return`, fields);
  expect(asked.status).toBe(303);
  const place = String(asked.headers.location);
  expect(place).toMatch(new RegExp(`^${path}/returns/R\\d+$`));
  // The same form again is the same return.
  expect((await sent(`${path}/return`, `${path}/return`, fields)).headers.location).toBe(place);
  expect((await browser.open(place)).text).toMatch(/Requested[\s\S]*1 × /);
  const [{ id }] = (await shop.staff.data(`/returns?order_id=${order.id}`)) as unknown as [{ id: string }];
  await tools.step(id, 'approve', { instructions: 'Send it <b>back</b>', label_url: 'https://x.test/label' });
  const approved = await browser.open(place);
  expect(approved.text).toContain('Send it &lt;b&gt;back&lt;/b&gt;');
  expect(approved.text).toContain('https://x.test/label');
  await sent(place, `${place}/shipping`, { carrier: 'UPS', tracking_number: '1Z9' });
  await sent(place, `${place}/messages`, { body: 'It is on its way' });
  expect(await tools.get(id)).toMatchObject({
    status: 'in_transit',
    tracking_number: '1Z9',
    messages: [{ author_type: 'customer', body: 'It is on its way' }],
  });
  await shop.staff.data(`/returns/${id}/messages`, 'POST', { body: 'Only for us', internal: true });
  await shop.staff.data(`/returns/${id}/messages`, 'POST', { body: 'Thank you' });
  const { text } = await browser.open(place);
  expect(text).toContain('Thank you');
  expect(text).not.toContain('Only for us');
});

it('what a form lacks, and what cannot be returned, is said beside the form', async () => {
  const { order, item } = await tools.delivered(1);
  const path = await pathOf(order.id);
  const ask = async (fields: Record<string, string>) =>
    (await sent(`${path}/return`, `${path}/return`, { item, reason: CHANGED_MIND, ...fields })).text;
  expect(await ask({ quantity: '' })).toContain('Enter how many items');
  expect(await ask({ quantity: '-1' })).toContain('Enter quantities as numbers');
  expect(await ask({ quantity: '2' })).toContain('or this quantity, cannot be returned');
  expect(await ask({ quantity: '1', reason: '' })).toContain('Choose a reason');
  expect(await ask({ quantity: '1', reason: DAMAGED })).toContain('needs a note');
  expect(await tools.lineOf(item)).toMatchObject({ return_requested_quantity: 0 });
});

it('returns of other orders are unknown by every link', async () => {
  const one = await tools.delivered(1);
  const other = await tools.delivered(1);
  const { return_number: number, id } = await tools.asked(one.order.id, one.item, 1);
  const path = await pathOf(other.order.id);
  const browser = openBrowser(shop.app.send);
  expect((await browser.open(`${path}/returns/${number}`)).status).toBe(404);
  expect((await browser.open(`/shop/order/nothing/returns/${number}`)).status).toBe(404);
  expect((await sent(`${path}/return`, `${path}/returns/${number}/cancel`, {})).status).toBe(404);
  expect(
    (await sent(`${path}/return`, `${path}/return`, { item: one.item, quantity: '1', reason: CHANGED_MIND }))
      .status,
  ).toBe(404);
  expect(await tools.get(id)).toMatchObject({ status: 'requested' });
});

it('a label that staff upload is on the page of the return alone, and is a PDF', async () => {
  const { order, item } = await tools.delivered(1);
  const { id, return_number: number } = await tools.asked(order.id, item, 1);
  const bytes = async function* (text: string) {
    for (const letter of text) yield Buffer.from(letter);
  };
  const { ctx } = shop.app;
  for (const text of ['', '%PD', 'GIF89a and so on'])
    await expect(returns.storeLabel(ctx, bytes(text))).rejects.toThrow('The label is not a PDF');
  await returns.approve(ctx, id, { labelKey: await returns.storeLabel(ctx, bytes('%PDF-1.7 label')) });
  const place = `${await pathOf(order.id)}/returns/${number}`;
  const browser = openBrowser(shop.app.send);
  expect((await browser.open(place)).text).toContain(`${place}/label.pdf`);
  const label = await browser.open(`${place}/label.pdf`);
  expect([label.status, label.headers['content-type'], label.text]).toEqual([
    200,
    'application/pdf',
    '%PDF-1.7 label',
  ]);
  const other = await tools.delivered(1);
  expect((await browser.open(`${await pathOf(other.order.id)}/returns/${number}/label.pdf`)).status).toBe(
    404,
  );
});

it('returns can be switched off: pages and links are gone', async () => {
  const { order } = await tools.delivered(1);
  const path = await pathOf(order.id);
  await shop.staff.data('/features', 'PATCH', { returns_enabled: false });
  const browser = openBrowser(shop.app.send);
  expect((await browser.open(path)).text).not.toContain(`${path}/return`);
  expect((await browser.open(`${path}/return`)).status).toBe(404);
  expect((await shop.staff.send('/returns')).status).toBe(404);
  await shop.staff.data('/features', 'PATCH', { returns_enabled: true });
});
