// What a guest does beside the checkout, in a real browser with scripts and without: a gift card, the estimate of shipping,
// the page of the order.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { get, openAccess, orderPath } from '#storefront/orders/orders/index.ts';
import { type OrderShop, openOrderShop } from '../storefront/order-shop.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';

let shop: OrderShop;
let chromium: Chromium;
beforeAll(async () => {
  shop = await openOrderShop();
  chromium = await openChromium();
  await shop.stocked(0, {
    type: 'gift_card',
    title: 'Gift card',
    variants: [{ sku: 'CARD-50', price_cents: 5000, requires_shipping: false }],
  });
}, 60_000);
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
async function judge(page: Page, { javaScript }: { readonly javaScript: boolean }): Promise<void> {
  expect(Math.max(0, await overflow(page))).toBe(0);
  if (javaScript) expect(await accessFaults(page)).toEqual([]);
}

it.each(looks)(
  'scripts $javaScript, $width px: a gift card beside goods, and what shipping costs',
  { timeout: 60_000 },
  async (look) => {
    const { page, faults } = await chromium.look(look);
    const { url } = shop.app;
    const variantId = await shop.stocked(5);
    const { slug } = await shop
      .knex()({ p: 'products' })
      .join({ v: 'product_variants' }, 'v.product_id', 'p.id')
      .where('v.id', variantId)
      .first('p.slug');
    await page.goto(`${url}/shop/gift-cards`);
    await page.check('input[name=amount][value=other]');
    await page.fill('#field-other', '1');
    await page.fill('#field-recipient_name', 'Eve');
    await page.click('main form button[type=submit]');
    await page.waitForSelector('[aria-invalid=true]');
    await judge(page, look);
    expect(await page.inputValue('#field-recipient_name')).toBe('Eve');
    await page.fill('#field-other', '37.50');
    await page.click('main form button[type=submit]');
    await page.waitForURL('**/shop/cart');
    await page.goto(`${url}/shop/products/${slug}`);
    await page.click('#to-cart button');
    await page.waitForURL('**/shop/cart');
    await page.click('summary:has-text("Estimate shipping")');
    await page.selectOption('#country', 'DE');
    await page.fill('#postal_code', '10115');
    await page.click('button:has-text("Show shipping costs")');
    await page.waitForSelector('#estimate >> text=Parcel');
    expect(await page.textContent('#estimate')).toContain('Total with the cheapest method: $61.50');
    await judge(page, look);
    if (look.javaScript) expect(await page.textContent('#said')).toContain('$61.50');
    expect(faults.filter((text) => !text.includes('400'))).toEqual([]);
  },
);

it.each(looks)(
  'scripts $javaScript, $width px: the order by its link, and its end',
  { timeout: 60_000 },
  async (look) => {
    const { page, faults } = await chromium.look(look);
    const { id } = await shop.placed(await shop.stocked(2));
    const token = await openAccess(shop.app.ctx, await get(shop.app.ctx, id));
    await page.goto(shop.app.url + orderPath(token));
    await page.click('summary:has-text("Cancel order")');
    await judge(page, look);
    await page.click('details button[type=submit]');
    await page.waitForSelector('dd:has-text("Canceled")');
    expect(page.url()).toContain(orderPath(token));
    expect(await page.textContent('main')).toContain('Refund: $24.00');
    await judge(page, look);
    expect(faults).toEqual([]);
  },
);
