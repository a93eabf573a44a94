// Reports in the panel, without a script: each page with its figures, what it is compared with, and its file.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPORT_NAMES } from '#storefront/tools/reports/kinds/kinds.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import type { Browser } from '../support/browser.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';

let shop: OrderShop;
let browser: Browser;
beforeAll(async () => {
  shop = await openOrderShop();
  ({ browser } = await member(shop.app));
  await shop.placed(await shop.stocked(9), 2);
}, 120_000);
afterAll(() => shop.app.close());

it('lists the reports, and each opens with a comparison and leads to its file', async () => {
  const list = await browser.open('/store/reports');
  expect(list.status).toBe(200);
  for (const name of REPORT_NAMES) {
    expect(list.text).toContain(`/store/reports/${name}`);
    const page = await browser.open(`/store/reports/${name}?compare=previous`);
    expect([name, page.status]).toEqual([name, 200]);
    const [, href] = /href="([^"]*export\.csv[^"]*)"/.exec(page.text) ?? [];
    if (href === undefined) continue;
    const file = await browser.open(href.replaceAll('&amp;', '&'));
    expect([name, file.status, file.text.split('\n').length > 1]).toEqual([name, 200, true]);
  }
  const sales = textOf((await browser.open('/store/reports/sales?compare=year')).text);
  expect(sales).toContain('$43.00');
});

it('what is no range is said beside the report, and an unknown report is none', async () => {
  const wrong = await browser.open('/store/reports/sales?from=2026-02-01&to=2026-01-01');
  expect([wrong.status, textOf(wrong.text)]).toEqual([
    400,
    expect.stringContaining('The first day must not be after'),
  ]);
  expect((await browser.open('/store/reports/nothing')).status).toBe(404);
});

it('the first page of the shop shows sales and the latest orders', async () => {
  for (const range of ['today', '30d']) {
    const { status, text } = await browser.open(`/store/?range=${range}`);
    expect(status).toBe(200);
    expect(textOf(text)).toContain('$43.00');
  }
});
