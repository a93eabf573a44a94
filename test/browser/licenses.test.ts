// Licenses of a customer in a real browser, with scripts and without: key, machines, releases, and the pages of the order.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openShopperShop, type ShopperShop } from '../fulfilment/shopper-shop.ts';
import { bundleOf } from '../licensing/release-fixture.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';

let shop: ShopperShop;
let sold: Awaited<ReturnType<ShopperShop['program']>>;
let chromium: Chromium;
beforeAll(async () => {
  shop = await openShopperShop();
  sold = await shop.program({ maxUses: 100 });
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

/** What judges access is a script itself. */
async function judge(page: Page, { javaScript }: (typeof looks)[number], name: string): Promise<void> {
  for (const one of await page.$$('main details:not([open]) > summary')) await one.click();
  expect([name, Math.max(0, await overflow(page))]).toEqual([name, 0]);
  if (javaScript) expect([name, await accessFaults(page)]).toEqual([name, []]);
}

it.each(looks)(
  'scripts $javaScript, $width px: a license and everything that can be done with it',
  { timeout: 240_000 },
  async (look) => {
    const { page, faults } = await chromium.look(look);
    const { url } = shop.app;
    const { who, order, card, key } = await shop.holder(sold.variantId);
    await shop.activate(key, 'machine-0123456789', {
      machineName: 'A desk with quite a long name, by the window',
    });
    await page.goto(`${url}/shop/login?next=${encodeURIComponent('/shop/account/licenses')}`);
    await page.fill('[name=email]', who.email);
    await page.fill('[name=password]', who.password);
    await page.click('main form button[type=submit]');
    await page.waitForURL('**/shop/account/licenses');
    await judge(page, look, 'list');
    const path = `/shop/account/licenses/${card.id}`;
    await page.click(`a[href="${path}"]`);
    await judge(page, look, 'license');
    await page.click('form[action$="/key"] button');
    expect(await page.textContent('main code')).toBe(key);
    await judge(page, look, 'key');
    if (look.javaScript) expect(await page.textContent('main code + button')).toBe('Copy');
    await page.goto(`${url}${path}?lang=ar`);
    await judge(page, look, 'arabic');
    await page.goto(`${url}${path}?lang=en`);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.click('form[action*="/download"] button'),
    ]);
    expect(file.suggestedFilename()).toBe('app-2.0.0.zip');
    expect(readFileSync(await file.path())).toEqual(bundleOf(`${sold.licenseProduct.slug} 2.0.0`));
    await page.goto(`${url}${path}`);
    await page.click('form[action*="/release"] button');
    await page.waitForURL('**done=released*');
    expect((await shop.validate(key, 'machine-0123456789')).body.valid).toBe(false);
    for (const [name, place] of Object.entries({
      account: '/shop/account',
      order: `/shop/account/orders/${order.order_number}`,
      thanks: `/shop/checkout/success/${order.order_number}`,
    })) {
      await page.goto(url + place);
      await judge(page, look, name);
    }
    expect(faults).toEqual([]);
  },
);
