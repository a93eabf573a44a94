// Photos of returns: of customers by JSON, of guests with the form; seen by their customer and by staff alone.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { get as getOrder, openAccess, orderPath } from '#storefront/orders/orders/index.ts';
import { openBrowser, tokenIn } from '../support/browser.ts';
import { type CustomerClient, customerClient } from './customer-client.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { CHANGED_MIND, returnTools } from './return-shop.ts';

let shop: OrderShop;
let tools: ReturnType<typeof returnTools>;
let ann: CustomerClient;
let bea: CustomerClient;
let jpeg: Buffer;
beforeAll(async () => {
  shop = await openOrderShop();
  tools = returnTools(shop);
  ann = await customerClient(shop.app);
  bea = await customerClient(shop.app);
  const create = { width: 40, height: 30, channels: 3 as const, background: 'teal' };
  jpeg = await sharp({ create }).jpeg().toBuffer();
});
afterAll(() => shop.app.close());

const uploaded = async (customer: CustomerClient, bytes: Uint8Array, name = 'photo.jpg') => {
  const { body } = await customer.browser.open('/api/shop/session');
  const token = (body.data as unknown as { csrf_token: string }).csrf_token;
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), name);
  const cookie = [...customer.browser.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const answer = await fetch(`${shop.app.url}/api/shop/returns/uploads`, {
    method: 'POST',
    body: form,
    headers: { Cookie: cookie, 'X-CSRF-Token': token },
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { data?: { media_id: string; thumbnail_url: string } },
  };
};

async function own(customer: CustomerClient) {
  const { order, item } = await tools.delivered(1);
  await shop.app.ctx.tx(({ db }) =>
    db.knex('orders').where({ id: order.id }).update({ customer_id: customer.id }),
  );
  return { item, number: String(order.order_number) };
}

const body = (number: string, item: string, media: string[]) => ({
  order_number: number,
  items: [{ order_item_id: item, quantity: 1, reason_id: CHANGED_MIND, media_ids: media }],
  resolution: 'refund',
});

it('a photo belongs to the return of who sent it; those of others and what is no photo are refused', async () => {
  expect((await uploaded(ann, Buffer.from('<svg onload="alert(1)"/>'), 'x.svg')).status).toBe(400);
  expect((await uploaded(ann, Buffer.from('MZ\0\0'))).status).toBe(400);
  const { media_id: mine = '', thumbnail_url: thumbnail = '' } = (await uploaded(ann, jpeg)).body.data ?? {};
  expect((await ann.browser.open(thumbnail)).headers['content-type']).toBe('image/webp');
  expect((await bea.browser.open(thumbnail)).status).toBe(404);
  const theirs = (await uploaded(bea, jpeg)).body.data?.media_id ?? '';
  const { item, number } = await own(ann);
  expect((await ann.refusal('/api/shop/returns', 'POST', body(number, item, [theirs])))[0]).toBe(400);
  expect(await tools.lineOf(item)).toMatchObject({ return_requested_quantity: 0 });
  const one = await ann.data<{ return_number: string; id: string; items: unknown[] }>(
    '/api/shop/returns',
    'POST',
    body(number, item, [mine]),
  );
  expect(one.items).toMatchObject([{ media_ids: [mine] }]);
  const at = `/shop/account/returns/${one.return_number}/photos`;
  const photo = await ann.browser.open(`${at}/${mine}`);
  expect([photo.status, photo.headers['content-type']]).toEqual([200, 'image/webp']);
  expect((await ann.browser.open(`${at}/${theirs}`)).status).toBe(404);
  expect((await bea.browser.open(`${at}/${mine}`)).status).toBe(404);
});

it('a reason that needs a photo is refused without one, and a guest sends it with the form', async () => {
  const reason = await shop.staff.data('/return-reasons', 'POST', { label: 'Cracked', requires_photo: true });
  const { order, item } = await tools.delivered(1);
  const path = orderPath(await openAccess(shop.app.ctx, await getOrder(shop.app.ctx, order.id)));
  const send = async (photo: Uint8Array | null) => {
    const browser = openBrowser(shop.app.send);
    const { text } = await browser.open(`${path}/return`);
    const form = new FormData();
    const fields = { item, quantity: '1', reason: reason.id, note: '', resolution: 'refund' };
    for (const [name, value] of Object.entries({ _csrf: tokenIn(text), ...fields })) form.set(name, value);
    if (photo) form.set('photos', new Blob([new Uint8Array(photo)]), 'crack.jpg');
    const cookie = [...browser.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const headers = { Cookie: cookie };
    return fetch(`${shop.app.url}${path}/return`, {
      method: 'POST',
      body: form,
      headers,
      redirect: 'manual',
    });
  };
  expect(await (await send(null)).text()).toContain('This reason needs a photo');
  expect(await (await send(Buffer.from('no photo'))).text()).toContain('is not a photo that we can read');
  const sent = await send(jpeg);
  expect(sent.status).toBe(303);
  const place = String(sent.headers.get('location'));
  const { text } = await openBrowser(shop.app.send).open(place);
  const photo = /href="([^"]+\/photos\/[^"]+)"/.exec(text)?.[1] ?? '';
  expect((await openBrowser(shop.app.send).open(photo)).headers['content-type']).toBe('image/webp');
});
