// The reference of a development server: what it fills in is sent as it is, and works from create to revoke.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { type Chromium, openChromium, overflow } from '../support/chromium.ts';

let app: TestApp;
let chromium: Chromium;
beforeAll(async () => {
  app = await startApp({ productionMode: false });
  chromium = await openChromium();
}, 120_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

type Page = Awaited<ReturnType<Chromium['look']>>['page'];

async function authorize(page: Page, secret: string): Promise<void> {
  await page.locator('.btn.authorize').first().click();
  await page.locator('.auth-container input').first().fill(secret);
  await page.locator('.auth-btn-wrapper .authorize').first().click();
  await page.locator('.auth-btn-wrapper .btn-done').first().click();
}

/** Opens an operation and sends what stands in it; the status, and the answer as JSON. */
async function execute(
  page: Page,
  operation: string,
  tag?: string,
): Promise<[string, Record<string, unknown>]> {
  const block = page.locator(`[id$="-${operation}"]`);
  if (tag !== undefined) await bringIntoView(page, block, tag);
  await block.locator('.opblock-summary-control').click();
  const answered = page.waitForResponse(
    (response) =>
      /\/api\/(v1|store|shop)\//.test(response.url()) && !response.url().endsWith('/shop/session'),
  );
  await block.locator('.execute').click();
  const status = block.locator('.live-responses-table .response .response-col_status').first();
  await status.waitFor();
  return [(await status.innerText()).split('\n')[0]?.trim() ?? '', await (await answered).json()];
}

/** Of a large document only what is in sight is drawn. */
async function bringIntoView(page: Page, block: ReturnType<Page['locator']>, tag: string): Promise<void> {
  await page.locator('.operation-filter-input').fill(tag);
  for (let tries = 0; tries < 50 && (await block.count()) === 0; tries++) {
    await page.mouse.wheel(0, 700);
    await page.waitForTimeout(200);
  }
}

it('sends the examples as they stand, and fills in what answers name', { timeout: 180_000 }, async () => {
  await app.product({ slug: 'editor', name: 'Editor' });
  const { secret } = await app.apiKey('FULL_ADMIN');
  const { page, faults } = await chromium.look();
  await page.goto(`${app.url}/api/docs`);
  await authorize(page, secret);

  const [created, { license }] = await execute(page, 'postLicenseCreate');
  expect([created, license]).toEqual(['201', expect.objectContaining({ status: 'ACTIVE' })]);
  const { key } = license as { key: string };
  expect(await execute(page, 'postLicenseActivate')).toEqual([
    '200',
    expect.objectContaining({ success: true }),
  ]);
  const valid = expect.objectContaining({ valid: true, license: expect.objectContaining({ key }) });
  expect(await execute(page, 'postLicenseValidate')).toEqual(['200', valid]);
  for (const operation of [
    'getLicenseCheckKey',
    'postLicenseRenew',
    'postLicenseDeactivate',
    'postLicenseRevoke',
  ])
    expect([operation, (await execute(page, operation))[0]]).toEqual([operation, '200']);
  expect(faults).toEqual([]);
});

it('lets staff set up a shop and a shopper buy, with the examples as they are', {
  timeout: 300_000,
}, async () => {
  const scopes = ['products:write', 'orders:read', 'settings:write'];
  const { secret } = await app.apiKey('shop', { service: 'store', scope: null, scopes });
  const { page, faults } = await chromium.look();
  await page.goto(`${app.url}/api/docs?document=/api/docs/store.openapi.json`);
  await authorize(page, secret);
  page.setDefaultTimeout(120_000);
  const path = [
    ['products', 'postStoreProducts', '201'],
    ['shipping', 'postStoreShippingZones', '201'],
    ['shipping', 'postStoreShippingZonesZoneIdMethods', '201'],
    ['shipping', 'putStoreShippingMethodsIdRates', '200'],
    ['payment-processors', 'postStorePaymentProcessorsIdActivate', '200'],
    ['cart', 'postStoreCartAdd', '200'],
    ['checkout', 'postStoreCheckoutContact', '200'],
    ['checkout', 'postStoreCheckoutAddresses', '200'],
    ['checkout', 'postStoreCheckoutShippingMethod', '200'],
    ['checkout', 'postStoreCheckout', '201'],
  ] as const;
  for (const [tag, operation, status] of path)
    expect([operation, (await execute(page, operation, tag))[0]]).toEqual([operation, status]);
  expect(faults).toEqual([]);
});

it.each([360, 1280])('shows each API at %i px', { timeout: 180_000 }, async (width) => {
  const { page, faults } = await chromium.look({ width });
  await page.goto(`${app.url}/api/docs`);
  for (const name of ['Admin API', 'Store API']) {
    await page.getByRole('link', { name: new RegExp(name, 'i') }).click();
    await page.locator('.opblock-tag').first().waitFor();
    expect(await page.locator('.info .title').innerText()).toMatch(new RegExp(name, 'i'));
  }
  expect([Math.max(0, await overflow(page)), faults]).toEqual([0, []]);
});
