// Every list by its keys alone, with more rows than a page has: down and up, selecting, opening, editing, the next page.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Screen } from '#platform/admin/index.ts';
import { listed, placesOf, walkOf } from '../platform/admin/resource-walk.ts';
import { member } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { tokenIn } from '../support/browser.ts';
import { accessFaults, type Chromium, openChromium, overflow } from '../support/chromium.ts';
import { filled } from '../support/resource-sample.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';

let app: TestApp;
let chromium: Chromium;
let window: Awaited<ReturnType<Chromium['look']>>;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
  chromium = await openChromium();
  window = await chromium.look();
  window.page.setDefaultTimeout(10_000);
}, 60_000);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

const seeded = listed.flatMap(([name, sample, { paged }]) => {
  const { screen } = sample.resource.spec as unknown as { screen?: Screen };
  return screen && sample.seed ? [[name, sample, screen, paged] as const] : [];
});

/** The number of the row that has the focus, from 1; 0 when none has. */
const rowWithFocus = (): Promise<number> =>
  window.page.evaluate(
    "[...document.querySelectorAll('#list .rows tbody tr')].findIndex((row) => row.contains(document.activeElement)) + 1",
  );

/** The numbers of the rows that lead somewhere. */
const linked = (): Promise<number[]> =>
  window.page.evaluate(
    "[...document.querySelectorAll('#list .rows tbody tr')].flatMap((row, at) => (row.querySelector('a') ? [at + 1] : []))",
  );

it.each(seeded)('%s', async (_name, sample, screen, paged) => {
  const { page, faults, context } = window;
  faults.length = 0;
  const has = async (selector: string) => (await page.locator(selector).count()) > 0;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const { place } = await placesOf(app, walkOf(app, sample))(51);
  const { browser } = await member(app, undefined, sample.everyTenant ? undefined : place.ctx.tenantId);
  await context.addCookies([{ name: 'cart_session', value: browser.session() ?? '', url: app.url }]);
  const path = filled(screen.path, place.names);
  await page.goto(app.url + path);
  expect(faults).toEqual([]);
  const found = { access: await accessFaults(page), overflow: Math.max(0, await overflow(page)) };
  expect(found).toEqual({ access: [], overflow: 0 });

  if (await has('#list .rows tbody a')) {
    const rows = await linked();
    await press('j');
    expect(await rowWithFocus()).toBe(rows[0]);
    await press('j', 'j', 'k');
    const row = rows[Math.min(1, rows.length - 1)] ?? 0;
    expect(await rowWithFocus()).toBe(rows.length === 2 ? rows[0] : row);
    const box = `#list .rows tbody tr:nth-child(${await rowWithFocus()}) input[name=ids]`;
    const href = await page.locator(':focus').getAttribute('href');
    if (await has(box)) {
      await press('x');
      expect(await page.isChecked(box)).toBe(true);
    }
    await page.locator(`#list .rows tbody a[href="${href}"]`).first().focus();
    await Promise.all([page.waitForURL(app.url + href), press('Enter')]);
    // Rows that are written straight into a table may name what was never there.
    faults.length = 0;
    const edit = await page
      .locator('[data-key=edit]')
      .getAttribute('href', { timeout: 1 })
      .catch(() => null);
    if (edit !== null) await Promise.all([page.waitForURL(app.url + edit), press('e')]);
  }
  await page.goto(app.url + path);
  if (await has('.pages [rel=next]')) {
    const next = app.url + (await page.locator('.pages [rel=next]').getAttribute('href'));
    await Promise.all([page.waitForURL(next), press(']')]);
    if (paged !== 'cursor') {
      await page.locator('.pages [rel=prev]').waitFor();
      await press('[');
      await page.waitForURL((url) => url.href !== next);
    }
  }
  if (await has('[data-key=create]')) {
    const create = app.url + (await page.locator('[data-key=create]').getAttribute('href'));
    await Promise.all([page.waitForURL(create), press('c')]);
  }
  expect(faults).toEqual([]);
});

it('a search puts what was typed into the address, and no filter that is empty', async () => {
  const { page, context } = window;
  const { browser } = await member(app);
  await context.addCookies([{ name: 'cart_session', value: browser.session() ?? '', url: app.url }]);
  await page.goto(`${app.url}/admin/licenses`);
  await page.fill('#q', 'ann@x.test');
  await Promise.all([page.waitForURL((url) => url.searchParams.has('q')), page.press('#q', 'Enter')]);
  const names = [...new URL(page.url()).searchParams].filter(([, value]) => value === '');
  expect([new URL(page.url()).searchParams.get('q'), names]).toEqual(['ann@x.test', []]);
});

it('who else is at an item is said below the heading of its form, and does not touch it', async () => {
  const { page, context } = window;
  const { id } = await app.license();
  const [mine, other] = [await member(app), await member(app)];
  const path = `/admin/licenses/${id}`;
  const { text } = await other.browser.open(`${path}/edit`);
  await other.browser.post(
    `${path}/here`,
    { _csrf: tokenIn(text), edits: 'true' },
    { 'HX-Request': 'true', 'HX-Target': 'div#here' },
  );
  await context.addCookies([{ name: 'cart_session', value: mine.browser.session() ?? '', url: app.url }]);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    await page.goto(`${app.url}${path}/edit`);
    const note = await page.locator('#here .notice').boundingBox();
    const heading = await page.locator('h1').boundingBox();
    expect((note?.y ?? 0) - (heading?.y ?? 0) - (heading?.height ?? 0)).toBeGreaterThanOrEqual(8);
  }
});
