// Staff edit an email in a real Chromium: preview, save, test, reset; with a script and without (storefront-api.md, AK).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';
import { signedIn } from './page-faults.ts';

const owner = { email: 'ann@x.test', name: 'Ann', password: 'correct horse battery' };
const EDIT = '/store/settings/email-templates/order_confirmation';

let app: TestApp;
let chromium: Chromium;
let window: Awaited<ReturnType<typeof signedIn>>;
beforeAll(async () => {
  app = await startApp();
  await accounts.createOwner(app.ctx, owner);
  chromium = await openChromium();
  window = await signedIn(chromium, app.url, owner);
}, 90_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

it('a preview shows the email as it will look, on a phone and on a wide screen, and nothing in it runs', async () => {
  const { page, faults } = window;
  await page.goto(`${app.url}${EDIT}`);
  await page.fill('[name=subject]', 'Thanks {customer_name} {oops}');
  await page.fill(
    '[name=body_html]',
    '<h1>Hi</h1><p><a href="{order_url}">See it</a></p><script>alert(1)</script>',
  );
  await page.click('button[value=preview]');
  await page.waitForSelector('iframe.mail-preview');
  const frame = page.frames().find((one) => one !== page.mainFrame());
  expect(await frame?.textContent('h1')).toBe('Hi');
  const height = (await (await frame?.$('a[href^="https://shop.example"]'))?.boundingBox())?.height ?? 0;
  // Its styles are in force: a button is higher than a line of text.
  expect(height).toBeGreaterThan(35);
  expect(await page.textContent('main')).toContain('{oops}');
  expect(await page.inputValue('[name=subject]')).toBe('Thanks {customer_name} {oops}');
  for (const [width, height] of [
    [1280, 850],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect([width, Math.max(0, await overflow(page))]).toEqual([width, 0]);
    expect(await accessFaults(page, width === 1280 ? 'page' : 'look')).toEqual([]);
  }
  expect(faults).toEqual([]);
});

it('what is saved is said, and the shipped words come back', async () => {
  const { page } = window;
  await page.goto(`${app.url}${EDIT}?lang=fr`);
  await page.fill('[name=subject]', 'Merci {customer_name}');
  await page.click('button[value=save]');
  await page.waitForURL(/done=saved/);
  expect(await page.textContent('[role=status]')).toContain('was saved');
  expect(await page.inputValue('[name=subject]')).toBe('Merci {customer_name}');
  await page.click('button[value=reset]');
  await page.waitForURL(/done=reset/);
  expect(await page.inputValue('[name=subject]')).toContain('Votre commande');
});
