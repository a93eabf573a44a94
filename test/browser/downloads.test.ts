// Files that were bought, in a real browser with scripts and without: from the thank-you page, the account and the order.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { customerClient } from '../storefront/customer-client.ts';
import { type DownloadShop, openDownloadShop } from '../storefront/download-shop.ts';
import type { PlacedShown } from '../storefront/shopper.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';

let shop: DownloadShop;
let chromium: Chromium;
beforeAll(async () => {
  shop = await openDownloadShop();
  chromium = await openChromium();
}, 120_000);
afterAll(async () => {
  await chromium.close();
  await shop.app.close();
});

const looks = [
  { javaScript: true, width: 1280, scheme: 'light' },
  { javaScript: false, width: 360, scheme: 'dark' },
] as const;
type Page = Awaited<ReturnType<Chromium['look']>>['page'];

const NAME = 'Field recordings of a long night at the sea, both sides, with booklet.zip';

/** What judges access is a script itself. */
async function judge(page: Page, { javaScript }: (typeof looks)[number], name: string): Promise<void> {
  await page.click('.downloads summary');
  expect([name, Math.max(0, await overflow(page))]).toEqual([name, 0]);
  if (javaScript) expect([name, await accessFaults(page)]).toEqual([name, []]);
}

async function saved(page: Page): Promise<[string, string]> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.click('.downloads form button[type=submit]'),
  ]);
  return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
}

it.each(looks)(
  'scripts $javaScript, $width px: a button saves the file under its name',
  { timeout: 180_000 },
  async (look) => {
    const { page, faults } = await chromium.look(look);
    const { url } = shop.app;
    const ann = await customerClient(shop.app);
    const id = await shop.album('Waves', `?name=${encodeURIComponent(NAME)}&max_downloads=9&expires_days=30`);
    await ann.data('/api/store/cart/add', 'POST', { variant_id: id, quantity: 1 });
    const { shipping_method_id: _none, ...order } = shop.order('fake', { email: ann.email });
    const { order_number: number, id: orderId } = (
      await ann.data<PlacedShown>('/api/store/checkout', 'POST', order)
    ).order;
    await page.goto(`${url}/shop/login?next=${encodeURIComponent('/shop/account/downloads')}`);
    await page.fill('[name=email]', ann.email);
    await page.fill('[name=password]', ann.password);
    await page.click('main form button[type=submit]');
    await page.waitForURL('**/shop/account/downloads');
    expect(await saved(page)).toEqual([NAME, 'Waves']);
    const places = {
      list: '/shop/account/downloads',
      order: `/shop/account/orders/${number}`,
      thanks: `/shop/checkout/success/${number}`,
      guest: `/shop/order/${await shop.tokenOf(orderId)}`,
      arabic: `/shop/order/${await shop.tokenOf(orderId)}?lang=ar`,
    };
    for (const [name, path] of Object.entries(places)) {
      await page.goto(url + path);
      await judge(page, look, name);
      expect([name, ...(await saved(page))]).toEqual([name, NAME, 'Waves']);
    }
    expect((await shop.rowsOf(orderId)).map((row) => row.downloads_used)).toEqual([6]);
    await page.goto(`${url}/shop/download/nothing`);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(faults.filter((fault) => !/status of 404/.test(fault))).toEqual([]);
  },
);
