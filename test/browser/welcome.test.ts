// The page of a new installation: what is missing, with commands to copy, on phones and desks, in light and dark.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';
import { linksOf } from './page-faults.ts';

let app: TestApp;
let chromium: Chromium;
beforeAll(async () => {
  app = await startApp();
  chromium = await openChromium();
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  await app?.close();
});

const looks = [400, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

it.each(looks)('says what is missing at $width px, $scheme', async ({ width, scheme }) => {
  const { page, context, faults } = await chromium.look({ width, scheme });
  await page.goto(app.url);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await accessFaults(page)).toEqual([]);
  expect(await page.locator('.steps code').allTextContents()).toEqual([
    'appctl open setup',
    'appctl product create --name Editor --slug editor',
    'appctl apikey create --service license --name app --scope VALIDATE_ONLY',
    'appctl license mint --product editor --email ann@example.com',
  ]);
  expect(await page.locator('button.copy').count()).toBe(4);
  if (process.env.WELCOME_PICTURES)
    await page.screenshot({ path: `${process.env.WELCOME_PICTURES}/${width}-${scheme}.png` });
  expect(faults).toEqual([]);
  await context.close();
});

it('links what exists, and works without scripts', async () => {
  const window = await chromium.look({ javaScript: false });
  await window.page.goto(app.url);
  const links = await linksOf(window, 'a[href^="/"]');
  expect(links).toEqual(expect.arrayContaining(['/help', '/api/health']));
  for (const link of links) expect([link, (await fetch(new URL(link, app.url))).status]).toEqual([link, 200]);
  expect(await window.page.locator('button.copy').count()).toBe(0);
  await window.context.close();
});

it('tells nobody but staff what is missing once there is an owner', async () => {
  await accounts.createOwner(app.ctx, {
    email: 'ann@x.test',
    name: 'Ann',
    password: 'correct horse battery',
  });
  const { page, context } = await chromium.look();
  await page.goto(app.url);
  expect(await page.locator('main').innerText()).not.toContain('missing');
  expect(await page.locator('a[href="/admin/login"]').count()).toBe(1);
  await context.close();
});
