// The point of a picture that stays in sight, set in Chromium by a press on the picture and by keys.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member } from '../platform/panel/staff.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';
import { runJob } from '../support/jobs.ts';

let app: TestApp;
let chromium: Chromium;
let window: Awaited<ReturnType<Chromium['look']>>;
let client: Awaited<ReturnType<typeof storeClient>>;
let id: string;
beforeAll(async () => {
  app = await startApp();
  chromium = await openChromium();
  client = await storeClient(app);
  const body = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#884422' } })
    .png()
    .toBuffer();
  const { secret } = await app.adminToken('owner');
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/octet-stream' };
  const sent = await app.send('/api/store/media?file_name=wide.png', { method: 'POST', body, headers });
  ({ id } = sent.body.data as unknown as { id: string });
  await runJob(app.ctx, 'media-variants');
  window = await chromium.look();
  window.page.setDefaultTimeout(10_000);
  const { browser } = await member(app);
  await window.context.addCookies([{ name: 'cart_session', value: browser.session() ?? '', url: app.url }]);
}, 60_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

const fields = (): Promise<string[]> =>
  Promise.all(['focal_x', 'focal_y'].map((name) => window.page.locator(`[name=${name}]`).inputValue()));
const crosshair = (): Promise<(string | null)[]> => {
  const mark = window.page.locator('.focal svg svg');
  return Promise.all(['x', 'y'].map((name) => mark.getAttribute(name)));
};

it('follows a press and the keys, and is saved by its form', async () => {
  const { page, faults } = window;
  await page.goto(`${app.url}/store/media/${id}`);
  expect([await fields(), await crosshair()]).toEqual([
    ['50', '50'],
    ['50%', '50%'],
  ]);
  const picture = page.locator('.focal');
  const { width, height } = (await picture.boundingBox()) ?? { width: 0, height: 0 };
  await picture.click({ position: { x: width / 4, y: height * 0.75 } });
  expect([await fields(), await crosshair()]).toEqual([
    ['25', '75'],
    ['25%', '75%'],
  ]);
  for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowUp', 'Shift+ArrowDown', 'Shift+ArrowRight'])
    await page.keyboard.press(key);
  expect(await fields()).toEqual(['34', '83']);
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('Shift+ArrowDown');
  expect([await fields(), await crosshair()]).toEqual([
    ['34', '100'],
    ['34%', '100%'],
  ]);
  await page.locator('[name=focal_y]').fill('60');
  expect(await crosshair()).toEqual(['34%', '60%']);
  await Promise.all([
    page.waitForEvent('load'),
    page.getByRole('button', { name: 'Save focal point' }).click(),
  ]);
  expect([await fields(), await crosshair()]).toEqual([
    ['34', '60'],
    ['34%', '60%'],
  ]);
  expect(await client.data(`/media/${id}`)).toMatchObject({ focal_x: 34, focal_y: 60 });
  expect(faults).toEqual([]);
});

it.each([360, 1280])('is for everybody at %i pixels', async (width) => {
  const { page, faults } = window;
  await page.setViewportSize({ width, height: 900 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const path of [id, `${id}/focal-point`]) {
      await page.goto(`${app.url}/store/media/${path}`);
      const found = { access: await accessFaults(page), overflow: Math.max(0, await overflow(page)) };
      expect([path, found, [...faults]]).toEqual([path, { access: [], overflow: 0 }, []]);
    }
  }
});
