// Filters of lists that are points in time take a day.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import { member, rowsOf, textOf } from './staff.ts';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
  await products.create(app.ctx, { name: 'Of today', slug: 'today' });
});
afterAll(() => app.close());

const today = () => app.ctx.now().slice(0, 10);
const tomorrow = () => new Date(Date.parse(today()) + 86_400_000).toISOString().slice(0, 10);
const open = (query: string) => browser.open(`/admin/products?${query}`);
const inputOf = (html: string): string => /<input id="filter-createdFrom"[^>]*>/.exec(html)?.[0] ?? '';

it('counts from the beginning of a day, and before it', async () => {
  const listed = async (query: string) => rowsOf((await open(query)).text).length;
  expect(await listed(`createdFrom=${today()}`)).toBe(1);
  expect(await listed(`createdFrom=${tomorrow()}`)).toBe(0);
  expect(await listed(`createdFrom=${today()}&createdTo=${tomorrow()}`)).toBe(1);
  expect(await listed(`createdTo=${today()}`)).toBe(0);
});

it('is chosen in the field of a day, which keeps it, and the export takes the same', async () => {
  expect(inputOf((await open('')).text)).toContain('type="date"');
  const { text } = await open(`createdFrom=${today()}`);
  expect(inputOf(text)).toMatch(new RegExp(`value="${today()}" type="date"`));
  expect(textOf(text)).toContain(`Created from: ${today()}`);
  expect(text).toContain(`createdFrom=${encodeURIComponent(`${today()}T00:00:00Z`)}&amp;format=csv`);
});

it('a time within a day stays, and what is none is said', async () => {
  const within = await open(`createdFrom=${today()}T00:00:01Z`);
  expect(inputOf(within.text)).toMatch(new RegExp(`value="${today()}T00:00:01Z">`));
  expect(rowsOf(within.text)).toHaveLength(1);
  const wrong = await open('createdFrom=2026-02-31');
  expect([wrong.status, textOf(wrong.text).includes('The list could not be filtered')]).toEqual([400, true]);
});
