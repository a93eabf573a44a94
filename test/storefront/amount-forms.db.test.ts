// Forms of the panel ask for prices as people write them, while JSON has the smallest unit of the currency.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { another, mug, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const variantOf = async (): Promise<{ id: string; sku: string; product: string }> => {
  const made = await client.data('/products', 'POST', mug());
  const [variant] = made.variants as { id: string; sku: string }[];
  return { id: variant?.id ?? '', sku: variant?.sku ?? '', product: made.id };
};
const shownIn = (html: string, name: string) =>
  new RegExp(`<input[^>]*name="${name}"[^>]*value="([^"]*)"`).exec(html)?.[1];

it('takes and shows the price of a list in the currency', async () => {
  const { sku } = await variantOf();
  const { id } = await client.data('/price-lists', 'POST', { name: `List ${another()}` });
  const path = `/store/price-lists/${id}/prices`;
  const form = await browser.open(`${path}/new`);
  expect(textOf(form.text)).toContain('Unit price (USD)');
  expect(textOf(form.text)).not.toContain('cents');
  expect((await browser.submit(`${path}/new`, { sku, unitCents: '1,012.50', minQuantity: '' })).status).toBe(
    303,
  );
  const prices = (await client.send(`/price-lists/${id}/prices`)).body.data as unknown as {
    id: string;
    unit_cents: number;
  }[];
  expect(prices.map((one) => one.unit_cents)).toEqual([101_250]);
  const edit = `/store/price-list-prices/${prices[0]?.id}/edit`;
  const { text } = await browser.open(edit);
  expect(shownIn(text, 'unitCents')).toBe('1012.50');
  const was = { 'was.unitCents': '1012.50', 'was.minQuantity': '1', minQuantity: '1' };
  const wrong = await browser.submit(edit, { ...was, unitCents: '12.345' });
  expect(wrong.status).toBe(400);
  expect(textOf(wrong.text)).toContain('“12.345” has 3 decimal places; USD has 2');
  expect(shownIn(wrong.text, 'unitCents')).toBe('12.345');
  expect((await browser.submit(edit, { ...was, unitCents: '12.5' })).status).toBe(303);
  expect((await client.data(`/price-list-prices/${prices[0]?.id}`)).unit_cents).toBe(1250);
});

it('asks for the prices of a variant like that, and an emptied one clears what may be empty', async () => {
  const { id, product } = await variantOf();
  const path = `/store/variants/${id}/edit`;
  const opened = await browser.open(path);
  expect(shownIn(opened.text, 'priceCents')).toBe('19.00');
  expect(shownIn(opened.text, 'compareAtCents')).toBe('');
  const was = { 'was.priceCents': '19.00', 'was.compareAtCents': '' };
  expect((await browser.submit(path, { ...was, priceCents: '18', compareAtCents: '$19.90' })).status).toBe(
    303,
  );
  const stored = async () => (await client.data(`/products/${product}`)).variants as unknown[];
  expect((await stored())[0]).toMatchObject({ price_cents: 1800, compare_at_cents: 1990 });
  const now = { 'was.priceCents': '18.00', 'was.compareAtCents': '19.90', priceCents: '18.00' };
  expect((await browser.submit(path, { ...now, compareAtCents: '' })).status).toBe(303);
  expect((await stored())[0]).toMatchObject({ price_cents: 1800, compare_at_cents: null });
});

it('reads quantity prices like a cell of the table of variants', async () => {
  const { id } = await variantOf();
  const path = `/store/variants/${id}/price-tiers`;
  const wrong = await browser.submit(path, { from: '10', price: 'cheap' });
  expect([wrong.status, textOf(wrong.text)]).toEqual([
    400,
    expect.stringContaining('Row 1: “cheap” is not an amount; enter it as 19.00'),
  ]);
  expect((await browser.submit(path, { from: '10', price: '$17,50' })).status).toBe(303);
  expect((await client.send(path.replace('/store', ''))).body.data).toEqual([
    expect.objectContaining({ min_quantity: 10, unit_cents: 1750 }),
  ]);
  // A browser sends every row, also those that are empty.
  const rows = [
    ['from', '10'],
    ['price', '17.50'],
    ['from', ' 50 '],
    ['price', '15'],
    ['from', ''],
    ['price', ''],
  ] as const;
  const token = tokenIn((await browser.open(path)).text);
  expect((await browser.post(path, [['_csrf', token], ...rows])).status).toBe(303);
  expect((await client.send(path.replace('/store', ''))).body.data).toEqual([
    expect.objectContaining({ min_quantity: 10, unit_cents: 1750 }),
    expect.objectContaining({ min_quantity: 50, unit_cents: 1500 }),
  ]);
});

it('takes and shows how a list changes all prices in percent, and says what it cannot read', async () => {
  const create = (adjustBps: string, kind = 'percent') =>
    browser.submit('/store/price-lists/new', {
      name: `Percent ${another()}`,
      kind,
      adjustBps,
      active: 'true',
    });
  expect(textOf((await browser.open('/store/price-lists/new')).text)).toContain('Price change (%)');
  const made = await create('-12,5 %');
  expect(made.status).toBe(303);
  const id = /price-lists\/([^?]+)/.exec(String(made.headers.location))?.[1] ?? '';
  expect((await client.data(`/price-lists/${id}`)).adjust_bps).toBe(-1250);
  const path = `/store/price-lists/${id}/edit`;
  expect(shownIn((await browser.open(path)).text, 'adjustBps')).toBe('-12.5');
  for (const wrong of ['ten', '-101', '1.234']) {
    const refused = await create(wrong);
    expect([refused.status, textOf(refused.text)]).toEqual([
      400,
      expect.stringContaining(`“${wrong}” is not a percentage from -100 to 1000, such as -10 or 2.5`),
    ]);
  }
});

it('says that what always has a value cannot be emptied, and offers no default in its place', async () => {
  const { product } = await variantOf();
  const path = `/store/products/${product}/edit`;
  const { text } = await browser.open(path);
  expect(text).toMatch(/<label for="field-title">Title<\/label>/);
  expect(text).not.toContain('>Default</option>');
  const refused = await browser.submit(path, { 'was.title': 'Mug', title: '' });
  expect([refused.status, textOf(refused.text)]).toEqual([400, expect.stringContaining('must not be empty')]);
});
