// Every page of the shop and of its part of the panel in a real Chromium: nothing that people with disabilities would
// stumble over, nothing beyond the edge of a small window, no fault of a script, and no breach of the content policy.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import type { Screen } from '#platform/admin/index.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { type FilledShop, fillShop } from '../storefront/filled-shop.ts';
import { mug, storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Chromium, openChromium } from '../support/chromium.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';
import { assetBytes, linksOf, signedIn, stands } from './page-faults.ts';

const owner = { email: 'ann@x.test', name: 'Ann', password: 'correct horse battery' };
const KIB = 1024;

let app: TestApp;
let chromium: Chromium;
let shop: FilledShop;
let window: Awaited<ReturnType<typeof signedIn>>;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  await accounts.createOwner(app.ctx, owner);
  shop = await fillShop(app);
  chromium = await openChromium();
  window = await signedIn(chromium, app.url, owner);
}, 90_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

/** Resources whose list stands at an address of its own in the shop's part of the panel. */
const screens = capabilities
  .flatMap(({ resources = [] }) => resources)
  .flatMap((resource) => (resource as unknown as { spec: { screen?: Screen } }).spec.screen ?? [])
  .filter(({ path }) => path.startsWith('/store/') && !path.includes('{'));

const standsInPanel = (path: string): Promise<void> => stands(window, app.url, path, { mostBytes: 25 * KIB });

it.each(screens.map(({ path }) => path))(
  '%s: its list, an item, its tabs and its forms',
  async (path) => {
    await standsInPanel(path);
    const forms = (await linksOf(window, 'main a[href^="/store/"]')).filter((href) => href === `${path}/new`);
    const [item] = await linksOf(window, '.rows tbody a');
    // An empty list shows nothing of what its items look like.
    expect(item).toMatch(/^\/(store|shop|admin)\//);
    for (const one of forms) await standsInPanel(one);
    await standsInPanel(item ?? '');
    const below = [...new Set(await linksOf(window, 'main a[href^="/store/"]'))].filter(
      (href) => href.startsWith(`${item}/`) && !href.includes('#') && !/export|\.csv|download/.test(href),
    );
    for (const one of below.slice(0, 12)) await standsInPanel(one);
  },
  120_000,
);

it('pages of staff that no list leads to', async () => {
  for (const path of shop.desk) await standsInPanel(path);
}, 480_000);

it('each page of the shop', async () => {
  for (const path of shop.pages) await stands(window, app.url, path, { mostBytes: 14 * KIB });
  for (const path of shop.missing) await stands(window, app.url, path, { mostBytes: 14 * KIB, status: 404 });
}, 480_000);

it('the checkout of goods that only need a country, whose longest name fits on a phone', async () => {
  const staff = await storeClient(app);
  const { slug } = await staff.data('/products', 'POST', mug({ type: 'digital', status: 'active' }));
  const shopper = await chromium.look();
  await shopper.page.goto(`${app.url}/shop/products/${slug}`);
  await shopper.page.click('form[action^="/shop/cart/add"] button[type=submit]');
  await shopper.page.waitForURL('**/shop/cart');
  await stands(shopper, app.url, '/shop/checkout', { mostBytes: 14 * KIB });
}, 120_000);

it('a first view of the shop loads no more styles and scripts than allowed', async () => {
  await window.page.goto(`${app.url}/shop/`);
  const { styles, scripts } = await assetBytes(window, app.url);
  expect(styles).toBeLessThan(10 * KIB);
  expect(scripts).toBeLessThan(6 * KIB);
});
