// What customers keep in their account, in a real browser with scripts and without: profile, addresses, emails, an order
// that is ordered again, and the end of the account.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registered } from '../storefront/customer-client.ts';
import { type OrderShop, openOrderShop } from '../storefront/order-shop.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';

let shop: OrderShop;
let chromium: Chromium;
beforeAll(async () => {
  shop = await openOrderShop();
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
async function judge(page: Page, { javaScript }: { readonly javaScript: boolean }): Promise<void> {
  expect(Math.max(0, await overflow(page))).toBe(0);
  if (javaScript) expect(await accessFaults(page)).toEqual([]);
}

it.each(looks)(
  'scripts $javaScript, $width px: the account from its first address to its end',
  { timeout: 180_000 },
  async (look) => {
    const { page, faults } = await chromium.look(look);
    const { url } = shop.app;
    const { email, password } = await registered(shop.app);
    await page.goto(`${url}/shop/login?next=${encodeURIComponent('/shop/account')}`);
    await page.fill('[name=email]', email);
    await page.fill('[name=password]', password);
    await page.click('main form button[type=submit]');
    await page.waitForURL('**/shop/account');
    await judge(page, look);

    await page.goto(`${url}/shop/account/addresses/new`);
    await page.click('main form button[type=submit]');
    await page.waitForSelector('[aria-invalid=true]');
    await judge(page, look);
    for (const [name, value] of Object.entries({
      name: 'Ann Miller',
      line1: '1 Main Street',
      city: 'Springfield',
      state: 'IL',
      postal_code: '62701',
    }))
      await page.fill(`#field-${name}`, value);
    await page.click('main form button[type=submit]');
    await page.waitForURL('**/shop/account/addresses?done=1');
    await judge(page, look);

    for (const place of ['profile', 'preferences', 'gift-cards', 'orders', 'delete']) {
      await page.goto(`${url}/shop/account/${place}`);
      await judge(page, look);
    }
    await page.goto(`${url}/shop/account/preferences`);
    await page.check('[name=accepts_marketing]');
    await page.click('main form button[type=submit]');
    await page.waitForURL('**/shop/account/preferences?done=1');
    expect(await page.isChecked('[name=accepts_marketing]')).toBe(true);

    const variantId = await shop.stocked(5);
    const { slug } = await shop
      .knex()({ p: 'products' })
      .join({ v: 'product_variants' }, 'v.product_id', 'p.id')
      .where('v.id', variantId)
      .first('p.slug');
    await page.goto(`${url}/shop/products/${slug}`);
    await page.click('#to-cart button');
    await page.goto(`${url}/shop/checkout`);
    expect(await page.inputValue('#field-line1')).toBe('1 Main Street');
    expect(await page.inputValue('#field-email')).toBe(email);
    await judge(page, look);
    await page.click('button[formaction]');
    await page.waitForSelector('#payment');
    await page.check('input[name=processor][value=offline]');
    await page.click('main form p.acts button[type=submit]:not([formaction])');
    await page.waitForURL('**/shop/checkout/success/**');

    await page.goto(`${url}/shop/account/orders`);
    await page.click('main ul.steps a');
    await page.waitForURL('**/shop/account/orders/*');
    await judge(page, look);
    await page.click(`form[action$="/reorder"] button`);
    await page.waitForURL('**/shop/cart');

    await page.goto(`${url}/shop/account/delete`);
    await page.fill('#field-password', password);
    await page.fill('#field-confirm', 'DELETE');
    await page.click('main form button[type=submit]');
    await page.waitForURL('**/shop/');
    await page.goto(`${url}/shop/account`);
    expect(page.url()).toContain('/shop/login');
    expect(faults.filter((text) => !text.includes('400'))).toEqual([]);
  },
);

const withPasswords = [
  ['login', 1],
  ['register', 1],
  ['account/security/password', 2],
] as const;

it('shows a typed password when its button is pressed, and hides it again before it is sent', async () => {
  const { page, faults } = await chromium.look({ javaScript: true, width: 360, scheme: 'light' });
  const { url } = shop.app;
  const { email, password } = await registered(shop.app);
  const shown = async (fields: number) => {
    const buttons = page.getByRole('button', { name: 'Show password' });
    expect(await buttons.count()).toBe(fields);
    const field = page.locator('input[data-show]').first();
    await field.fill(password);
    await buttons.first().click();
    expect([await field.getAttribute('type'), await buttons.first().getAttribute('aria-pressed')]).toEqual([
      'text',
      'true',
    ]);
    await judge(page, { javaScript: true });
    await page.setViewportSize({ width: 1280, height: 800 });
    await judge(page, { javaScript: true });
    await buttons.first().press('Space');
    expect(await field.getAttribute('type')).toBe('password');
    await buttons.first().click();
  };
  for (const [place, fields] of withPasswords) {
    await page.goto(`${url}/shop/${place}${place === 'login' ? '?next=%2Fshop%2Fregister' : ''}`);
    if (place.startsWith('account')) {
      await page.goto(`${url}/shop/login?next=${encodeURIComponent(`/shop/${place}`)}`);
      await page.fill('[name=email]', email);
      await shown(1);
      // Sent while it was shown.
      await page.click('main form button[type=submit]');
      await page.waitForURL(`**/shop/${place}`);
    }
    await shown(fields);
  }
  expect(faults).toEqual([]);
});

it('offers no such button without scripts', async () => {
  const { page } = await chromium.look({ javaScript: false, width: 360, scheme: 'dark' });
  await page.goto(`${shop.app.url}/shop/login`);
  expect(await page.locator('main button').count()).toBe(1);
});
