// The tables of products in Chromium: cells pasted out of a spreadsheet, copied down, moved between by keys; for everybody.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member } from '../platform/panel/staff.ts';
import { shirt, storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';

let app: TestApp;
let chromium: Chromium;
let window: Awaited<ReturnType<Chromium['look']>>;
let id: string;
beforeAll(async () => {
  app = await startApp();
  chromium = await openChromium();
  const client = await storeClient(app);
  ({ id } = await client.data('/products', 'POST', shirt({ tags: ['summer'] })));
  window = await chromium.look();
  window.page.setDefaultTimeout(10_000);
  const { browser } = await member(app);
  await window.context.addCookies([{ name: 'cart_session', value: browser.session() ?? '', url: app.url }]);
}, 60_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

/** Pastes a text into the field that has the focus, as a spreadsheet puts it on the clipboard. */
const paste = (text: string): Promise<void> =>
  window.page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(pasted);
  })()`);
const valuesOf = (name: string): Promise<string[]> =>
  window.page.evaluate(
    `[...document.querySelectorAll('table.editor [name="${name}"]:not([type=hidden])')].map(({ value }) => value)`,
  );

it.each([360, 1280])('the tables are for everybody at %i pixels', async (width) => {
  const { page, faults } = window;
  await page.setViewportSize({ width, height: 900 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of [`${id}/variants`, `grid?ids=${id}`, `${id}?tab=options`]) {
      await page.goto(`${app.url}/store/products/${path}`);
      const found = { access: await accessFaults(page), overflow: Math.max(0, await overflow(page)) };
      expect([path, found, [...faults]]).toEqual([path, { access: [], overflow: 0 }, []]);
    }
  }
});

it('takes cells of a spreadsheet from the cell on that has the focus, and saves them', async () => {
  const { page } = window;
  await page.goto(`${app.url}/store/products/grid?ids=${id}`);
  await page.locator('table.editor [name=price]').first().focus();
  await paste('12.50\t\t"3,00"\r\n13\t15\t4\r\n14\t\t\r\n15\t\t\r\n16\t\t\r\n');
  expect(await valuesOf('price')).toEqual(['12.50', '13', '14', '15']);
  expect(await valuesOf('cost')).toEqual(['3,00', '4', '', '']);
  expect(await page.locator('.editor-bar [role=status]').innerText()).toBe(
    '1 pasted cell did not fit · 7 unsaved changes',
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.type('13.5');
  await page.keyboard.press('Control+d');
  expect(await valuesOf('price')).toEqual(['12.50', '13.5', '13.5', '13.5']);
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Save changes' }).click()]);
  expect(await page.locator('#changes').innerText()).toBe('7 cells were saved');
  await page.goto(`${app.url}/store/products/${id}/variants`);
  expect(await valuesOf('price')).toEqual(['12.50', '13.50', '13.50', '13.50']);
});
