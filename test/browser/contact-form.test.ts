// The contact form in a real browser: it leads whoever left something out to what is missing.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';

let app: TestApp;
let chromium: Chromium;
beforeAll(async () => {
  app = await startApp();
  chromium = await openChromium();
}, 60_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

it.each([
  { width: 1280, scheme: 'light' },
  { width: 320, scheme: 'dark' },
] as const)('$width px, $scheme', async (look) => {
  const { page } = await chromium.look(look);
  await page.goto(`${app.url}/shop/contact?lang=de`);
  await page.fill('#field-name', 'Bob');
  await page.click('main form button[type=submit]');
  await page.waitForSelector('[aria-invalid=true]');
  expect([await accessFaults(page), Math.max(0, await overflow(page))]).toEqual([[], 0]);
  expect(await page.getAttribute(':focus', 'role')).toBe('alert');
  await page.click('a[href="#field-email"]');
  expect(await page.getAttribute(':focus', 'id')).toBe('field-email');
  expect(await page.inputValue('#field-name')).toBe('Bob');
});
