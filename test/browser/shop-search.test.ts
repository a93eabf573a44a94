// Suggestions under the search field of the shop in a real Chromium: with the keyboard, with the pointer, and without a
// script; nothing that people with disabilities would stumble over.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mug, storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';

let app: TestApp;
let chromium: Chromium;
beforeAll(async () => {
  app = await startApp();
  const client = await storeClient(app);
  await client.data('/categories', 'POST', { name: 'Ceramic Cups', slug: 'cups' });
  for (const title of ['Ceramic Cup Alba', 'Ceramic Cup Berta']) {
    const { id } = await client.data('/products', 'POST', mug({ title }));
    await client.data(`/products/${id}/publish`, 'POST', {});
  }
  chromium = await openChromium();
}, 60_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

const looks = [
  { width: 1280, scheme: 'light' },
  { width: 360, scheme: 'dark' },
] as const;

/** Without what a busy machine does to the browser's own fading from page to page. */
const own = (faults: readonly string[]) => faults.filter((fault) => !fault.startsWith('Transition was'));

describe.each(looks)('$width px, $scheme', (look) => {
  it('suggests while somebody types; arrows choose, Escape closes, Enter opens', async () => {
    const { page, faults } = await chromium.look(look);
    await page.goto(`${app.url}/shop/`);
    const field = page.getByRole('combobox', { name: 'Search the shop' });
    await field.pressSequentially('ceramic');
    const options = page.getByRole('option');
    await options.nth(2).waitFor();
    expect(await options.allInnerTexts()).toEqual([
      'Ceramic Cups Category',
      'Ceramic Cup Berta',
      'Ceramic Cup Alba',
    ]);
    expect(await field.getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('#said').textContent()).toBe('3 suggestions');
    expect([await accessFaults(page), await overflow(page)]).toEqual([[], 0]);
    await field.press('ArrowDown');
    await field.press('ArrowDown');
    expect(await field.getAttribute('aria-activedescendant')).toBe('suggestion-1');
    expect(await page.getByRole('option', { selected: true }).innerText()).toBe('Ceramic Cup Berta');
    expect(await accessFaults(page)).toEqual([]);
    await field.press('Escape');
    expect([await options.first().isVisible(), await field.inputValue()]).toEqual([false, 'ceramic']);
    expect(await field.getAttribute('aria-activedescendant')).toBeNull();
    await field.press('Backspace');
    await options.first().waitFor();
    await field.press('ArrowUp');
    await Promise.all([page.waitForURL('**/shop/products/**'), field.press('Enter')]);
    expect(await page.locator('h1').innerText()).toBe('Ceramic Cup Alba');
    expect(own(faults)).toEqual([]);
  });

  it('a press on a suggestion opens it, and Enter without a choice searches', async () => {
    const { page, faults } = await chromium.look(look);
    await page.goto(`${app.url}/shop/`);
    const field = page.getByRole('combobox', { name: 'Search the shop' });
    await field.pressSequentially('cup');
    await page.getByRole('option').first().waitFor();
    await Promise.all([page.waitForURL('**/shop/categories/cups'), page.getByRole('option').first().click()]);
    await field.fill('cup berta');
    await Promise.all([page.waitForURL('**/shop/search?q=cup+berta'), field.press('Enter')]);
    expect(await page.locator('.card .title').allInnerTexts()).toEqual(['Ceramic Cup Berta']);
    expect(own(faults)).toEqual([]);
  });

  it('the page of a search stands: with hits, with what may have been meant, and with nothing', async () => {
    const { page, faults } = await chromium.look(look);
    for (const q of ['ceramic', 'cermaic', 'xqzptk', 'ceramic xqzptk']) {
      await page.goto(`${app.url}/shop/search?q=${q}`);
      expect([q, await accessFaults(page), await overflow(page)]).toEqual([q, [], 0]);
    }
    await page.goto(`${app.url}/shop/search?q=cermaic`);
    expect(await page.locator('#count').innerText()).toBe(
      'No results for “cermaic”. Showing results for “ceramic”. 2 products',
    );
    expect(await page.locator('.card').count()).toBe(2);
    expect(own(faults)).toEqual([]);
  }, 60_000);
});

it('searches without a script', async () => {
  const { page } = await chromium.look({ javaScript: false });
  await page.goto(`${app.url}/shop/`);
  await page.getByRole('searchbox').fill('berta');
  await page.getByRole('search').getByRole('button').click();
  expect(await page.locator('.card .title').allInnerTexts()).toEqual(['Ceramic Cup Berta']);
  expect(await page.getByRole('listbox').count()).toBe(0);
});

it('the script of the shop stays small', async () => {
  const { text } = await app.send('/shop/').then((reply) => reply as unknown as { text: string });
  const [, address = ''] = /<script src="([^"]+)" defer>/.exec(text) ?? [];
  const script = (await app.send(address)) as unknown as { text: string };
  expect(gzipSync(script.text).length).toBeLessThan(6 * 1024);
});
