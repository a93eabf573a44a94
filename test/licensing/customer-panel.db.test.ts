// Customers in the panel: their licenses are a number in the list and a tab of the page, never a block of JSON.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('counts the licenses of a customer in the list and lists them in a tab', async () => {
  await app.license({ customerEmail: 'ada@x.test' });
  await app.license({ customerEmail: 'ada@x.test' });
  const { browser } = await member(app);
  const list = await browser.open('/admin/customers?q=ada');
  expect(rowsOf(list.text).map((cells) => cells.slice(0, 3))).toEqual([['ada@x.test', '', '2']]);
  const [, href = ''] = /href="(\/admin\/customers\/cus_[^"?]+)"/.exec(list.text) ?? [];
  const item = await browser.open(href);
  const facts = /<dl class="facts">[\s\S]*?<\/dl>/.exec(item.text)?.[0] ?? '';
  expect(textOf(facts)).toContain('ada@x.test');
  expect(facts).not.toContain('keyMasked');
  expect(rowsOf(item.text)).toHaveLength(2);
});
