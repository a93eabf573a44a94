// Tax and shipping in the panel: regions line by line, rates in percent, and the rates of a method on one form.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

type Item = Record<string, unknown> & { id: string };
const listOf = async (path: string) => (await client.send(path)).body.data as unknown as Item[];

/** Sends a form whose fields come once for each of its rows. */
async function submitRows(path: string, rows: Readonly<Record<string, readonly string[]>>) {
  const { text } = await browser.open(path);
  const fields = Object.entries(rows).flatMap(([name, all]) => all.map((value) => [name, value] as const));
  return browser.post(path, [['_csrf', tokenIn(text)], ...fields]);
}

it('a tax zone is made of lines, and its rates in percent', async () => {
  const form = '/store/settings/tax-zones/new';
  expect(textOf((await browser.open(form)).text)).toContain('Regions (one per line)');
  const sent = { name: 'West', regions: 'us-ca 902*\r\n\r\n MX ', priority: '' };
  expect((await browser.submit(form, sent)).status).toBe(303);
  const [zone] = await listOf('/tax/zones');
  expect(zone?.regions).toEqual([
    { country: 'US', state: 'CA', postal_pattern: '902*' },
    { country: 'MX', state: null, postal_pattern: null },
  ]);
  const edit = `/store/settings/tax-zones/${zone?.id}/edit`;
  const opened = await browser.open(edit);
  expect(opened.text).toContain('US-CA 902*\nMX</textarea>');
  const was = { 'was.name': 'West', 'was.regions': 'US-CA 902*\nMX', 'was.priority': '0', priority: '0' };
  const wrong = await browser.submit(edit, { ...was, name: 'West', regions: 'US-QQ' });
  expect(wrong.status).toBe(400);
  expect(textOf(wrong.text)).toContain('QQ is not a state of US');
  const named = await browser.submit(edit, { ...was, name: 'West', regions: 'Deutschland' });
  expect(textOf(named.text)).toContain(
    '“Deutschland” is not a country code. Use the two-letter code, such as DE',
  );
  expect((await browser.submit(edit, { ...was, name: 'West', regions: 'US-CA' })).status).toBe(303);
  expect((await client.data(`/tax/zones/${zone?.id}`)).regions).toHaveLength(1);
  const rates = `/store/settings/tax-zones/${zone?.id}/rates/new`;
  expect(textOf((await browser.open(rates)).text)).toContain('Rate (%)');
  const [standard] = await listOf('/tax/classes?q=standard');
  const rate = { name: 'Sales tax', taxClassId: String(standard?.id), ratePpm: '8.875' };
  expect((await browser.submit(rates, { ...rate, ratePpm: 'much' })).status).toBe(400);
  expect((await browser.submit(rates, rate)).status).toBe(303);
  const [made] = await listOf(`/tax/zones/${zone?.id}/rates`);
  expect(made?.rate_ppm).toBe(88_750);
  const item = await browser.open(`/store/settings/tax-rates/${made?.id}`);
  expect(textOf(item.text)).toMatch(/Rate 8\.875 % Zone Show the tax zone Tax class standard /);
  expect(textOf(item.text)).not.toContain('88,750');
  expect(item.text).toContain(`href="/store/settings/tax-zones/${zone?.id}"`);
  const list = textOf((await browser.open('/store/settings/tax-zones')).text);
  expect(list).toContain('Sales tax 8.875 %');
  expect(list).toContain('US-CA');
  const removal = await browser.open(`/store/settings/tax-zones/${zone?.id}/remove`);
  expect(textOf(removal.text)).toContain('Its rate Sales tax is removed too');
});

it('rates of a method are written in its own units, and a wrong row says which one it is', async () => {
  const zone = await client.data('/shipping/zones', 'POST', { name: 'Home', regions: [{ country: 'DE' }] });
  const method = await client.data(`/shipping/zones/${zone.id}/methods`, 'POST', {
    name: 'By value',
    kind: 'price',
  });
  const [item, path] = [
    `/store/settings/shipping-methods/${method.id}`,
    `/store/settings/shipping-methods/${method.id}/rates`,
  ];
  expect(textOf((await browser.open(item)).text)).toContain('This method has no rates yet');
  expect(textOf((await browser.open(path)).text)).toContain('From (USD) Up to (USD) Price (USD)');
  const rows = { min: ['', '50'], max: ['50.00', ''], price: ['4.90', '0'] };
  const wrong = await submitRows(path, { ...rows, price: ['4.90', 'free'] });
  expect(wrong.status).toBe(400);
  expect(textOf(wrong.text)).toContain('Row 2: “free” is not an amount');
  const overlapping = await submitRows(path, { ...rows, min: ['', '40'] });
  expect(textOf(overlapping.text)).toContain('Row 2: the range overlaps with that of rate 1');
  expect((await submitRows(path, rows)).status).toBe(303);
  const bounds = (await listOf(`/shipping/methods/${method.id}/rates`)).map((one) => [
    one.min,
    one.max,
    one.price_cents,
  ]);
  expect(bounds).toEqual([
    [0, 5000, 490],
    [5000, null, 0],
  ]);
  expect(textOf((await browser.open(item)).text)).toContain('0.00 50.00 4.90');
});

it('a method by weight counts grams, a flat one nothing', async () => {
  const zone = await client.data('/shipping/zones', 'POST', { name: 'Away', regions: [{ country: '*' }] });
  const made = async (kind: string) =>
    client.data(`/shipping/zones/${zone.id}/methods`, 'POST', { name: kind, kind });
  const [weight, flat] = [await made('weight'), await made('flat')];
  const pathOf = ({ id }: Item) => `/store/settings/shipping-methods/${id}/rates`;
  expect(textOf((await browser.open(pathOf(weight))).text)).toContain('Plus per additional 1000 g (USD)');
  const sent = { min: '0', max: '', price: '6.90', perUnit: '1' };
  expect((await browser.submit(pathOf(weight), sent)).status).toBe(303);
  expect((await browser.submit(pathOf(flat), { price: '5' })).status).toBe(303);
  expect((await listOf(`/shipping/methods/${weight.id}/rates`))[0]).toMatchObject({
    price_cents: 690,
    per_unit_cents: 100,
  });
  expect((await listOf(`/shipping/methods/${flat.id}/rates`))[0]).toMatchObject({ price_cents: 500 });
});
