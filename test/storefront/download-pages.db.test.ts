// Files that were bought, on the pages of the shop: thank-you, the order by its link, the account. Without JavaScript.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../platform/panel/staff.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { type CustomerClient, customerClient } from './customer-client.ts';
import { type DownloadShop, openDownloadShop } from './download-shop.ts';
import { newShopper, type PlacedShown } from './shopper.ts';

let shop: DownloadShop;
let ann: CustomerClient;
let albumId: string;
beforeAll(async () => {
  shop = await openDownloadShop();
  ann = await customerClient(shop.app);
  albumId = await shop.album(
    'Songs',
    `?name=${encodeURIComponent("Ann's <b>album</b>.zip")}&max_downloads=1`,
  );
}, 120_000);
afterAll(() => shop.app.close());

const digital = (email: string) => {
  const { shipping_method_id: _none, ...order } = shop.order('fake', { email });
  return order;
};
async function bought(who: CustomerClient): Promise<PlacedShown['order']> {
  await who.data('/api/store/cart/add', 'POST', { variant_id: albumId, quantity: 1 });
  return (await who.data<PlacedShown>('/api/store/checkout', 'POST', digital(who.email))).order;
}
const idIn = (html: string): string => /name="id" value="(dlg_[^"]+)"/.exec(html)?.[1] ?? '';

/** Presses the button beside the first file of a page. @returns the address that it leads to */
async function pressed(browser: Browser, path: string): Promise<string> {
  const { text } = await browser.open(path);
  const action = /action="([^"]*\/download[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const { status, headers } = await browser.post(action, { _csrf: tokenIn(text), id: idIn(text) });
  expect([path, status]).toEqual([path, 303]);
  return String(headers.location);
}

it('the thank-you page of a guest has a button that fetches the file, once', async () => {
  const shopper = await newShopper(shop.app);
  await shopper.data('/cart/add', { variant_id: albumId, quantity: 1 });
  const { order } = await shopper.data<PlacedShown>('/checkout', digital('guest@x.test'));
  const path = `/shop/checkout/success/${order.order_number}`;
  const { text } = await shopper.browser.open(path);
  expect(textOf(text)).toContain("Ann's <b>album</b>.zip");
  expect(textOf(text)).toContain('5 B');
  expect(textOf(text)).toContain('Downloads left: 1');
  expect(textOf(text)).toMatch(
    /printf '%s \*%s\\n' [0-9a-f]{64} 'Ann'\\''s <b>album<_b>.zip' \| shasum -a 256 -c/,
  );
  const address = await pressed(shopper.browser, path);
  expect(address).toMatch(/^\/shop\/download\/[\w-]{43}$/);
  const id = idIn(text);
  const answer = await shopper.browser.open(address);
  expect([answer.status, answer.text, answer.headers['referrer-policy']]).toEqual([
    200,
    'Songs',
    'no-referrer',
  ]);
  const again = await shopper.browser.open(address);
  expect([again.status, textOf(again.text)]).toEqual([410, expect.stringContaining('no longer works')]);
  const after = await shopper.browser.open(path);
  expect(textOf(after.text)).toContain('All downloads of this file have been used');
  expect(idIn(after.text)).toBe('');
  const late = await shopper.browser.post(`${path}/download`, { _csrf: tokenIn(after.text), id });
  expect([late.status, textOf(late.text)]).toEqual([400, expect.stringContaining('All downloads')]);
  // To look at the address of the button does nothing.
  expect((await shopper.browser.open(`${path}/download`)).status).toBe(303);
});

it('whoever has the link of an order fetches its files; to open the link uses nothing up', async () => {
  const order = await bought(ann);
  const browser = (await newShopper(shop.app)).browser;
  const path = `/shop/order/${await shop.tokenOf(order.id)}`;
  for (let n = 0; n < 3; n++) await browser.open(path);
  expect((await shop.rowsOf(order.id)).map((row) => row.downloads_used)).toEqual([0]);
  const token = tokenIn((await browser.open(path)).text);
  const address = await pressed(browser, `${path}?lang=de`);
  const head = await browser.ask(address, { method: 'HEAD' });
  expect([head.status, head.headers['content-length']]).toEqual([200, '5']);
  const part = await browser.open(address, { Range: 'bytes=0-1' });
  expect([part.status, part.text]).toEqual([206, 'So']);
  const rest = await browser.open(address, { Range: 'bytes=2-' });
  expect([rest.status, rest.text]).toEqual([206, 'ngs']);
  expect((await browser.post(`${path}/download`, { _csrf: token, id: 'dlg_of_nobody' })).status).toBe(404);
  const off = await browser.open('/shop/download/nothing?lang=fr');
  expect([off.status, textOf(off.text)]).toEqual([404, expect.stringContaining('ne fonctionne plus')]);
});

it('the account lists files page by page, and its order shows them', async () => {
  const order = await bought(ann);
  const list = await ann.browser.open('/shop/account/downloads');
  expect(list.status).toBe(200);
  expect(list.headers['cache-control']).toContain('no-store');
  expect(textOf(list.text)).toContain(`Order ${order.order_number}`);
  const one = `/shop/account/orders/${order.order_number}`;
  expect((await ann.browser.open(await pressed(ann.browser, one))).text).toBe('Songs');
  expect(textOf((await ann.browser.open(one)).text)).toContain('All downloads of this file have been used');
  const eve = await customerClient(shop.app);
  expect(textOf((await eve.browser.open('/shop/account/downloads')).text)).toContain('You have no files yet');
  const token = tokenIn((await eve.browser.open('/shop/account/profile')).text);
  const [row] = await shop.rowsOf(order.id);
  const stolen = await eve.browser.post('/shop/account/downloads/download', {
    _csrf: token,
    id: String(row?.id),
  });
  expect(stolen.status).toBe(404);
  for (let n = 0; n < 21; n++) await bought(ann);
  const { text } = await ann.browser.open('/shop/account/downloads');
  expect(text).toContain('href="/shop/account/downloads?page=2"');
  const address = await pressed(ann.browser, '/shop/account/downloads');
  expect((await ann.browser.open(address)).text).toBe('Songs');
  const older = await ann.browser.open('/shop/account/downloads?page=2&lang=ar');
  expect(older.text).toContain('href="/shop/account/downloads?page=1&amp;lang=ar"');
});
