// Options and the variants of a product in the panel, by forms as a browser without scripts sends them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { another, mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
  ({ browser } = await member(app));
});
afterAll(() => app.close());

interface Option {
  id: string;
  name: string;
  values: { id: string; value: string; swatch_hex: string | null }[];
}
interface Variant {
  id: string;
  sku: string;
  title: string;
  price_cents: number;
  compare_at_cents: number | null;
  weight_g: number;
  barcode: string | null;
}
const optionsOf = async (id: string) => (await client.data(`/products/${id}`)).options as Option[];
const variantsOf = async (id: string) => (await client.data(`/products/${id}`)).variants as Variant[];
const versionOf = async (id: string) => String((await client.data(`/products/${id}`)).version);

type Fields = Readonly<Record<string, string | readonly string[]>>;
const bodyOf = (fields: Fields): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );

async function post(path: string, fields: Fields, as = browser) {
  const _csrf = tokenIn((await as.open('/admin/profile')).text);
  return as.post(path, [['_csrf', _csrf], ...bodyOf(fields)]);
}
const arrange = async (id: string, fields: Fields) =>
  post(`/store/products/${id}/options/arrange`, { version: await versionOf(id), ...fields });
const CELLS = [
  'variant',
  'sku',
  'price',
  'compare_at',
  'cost',
  'weight',
  'barcode',
  'on_hand',
  'on_hand_was',
];
/** The form of the matrix as the page shows it, with some cells changed. */
async function matrix(id: string, change: (cells: Record<string, string[]>) => void, more: Fields = {}) {
  const { text } = await browser.open(`/store/products/${id}/variants`);
  const cells: Record<string, string[]> = {};
  for (const [, tag = ''] of text.matchAll(/<input([^>]*)>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? '';
    if (CELLS.includes(name)) (cells[name] ??= []).push(textOf(/value="([^"]*)"/.exec(tag)?.[1] ?? ''));
  }
  change(cells);
  return post(`/store/products/${id}/variants`, {
    do: 'save',
    version: await versionOf(id),
    ...cells,
    ...more,
  });
}

it('adds an option with its values, changes, orders and removes them on one page', async () => {
  const { id } = await client.data('/products', 'POST', { title: `Tee ${another()}`, type: 'physical' });
  const added = await arrange(id, { do: 'add', name: 'Color', values: 'Red, Blue\r\nGreen\r\n' });
  expect([added.status, added.headers.location]).toEqual([303, `/store/products/${id}?tab=options#tabs`]);
  const [color] = await optionsOf(id);
  expect(color?.values.map(({ value }) => value)).toEqual(['Red', 'Blue', 'Green']);
  const ids = color?.values.map((one) => one.id) ?? [];
  const saved = await arrange(id, {
    do: `down ${ids[0]}`,
    option: color?.id ?? '',
    name: 'Shade',
    id: ids,
    value: ['Scarlet', 'Blue', 'Green'],
    swatch: ['#ff2400', '', ''],
    picture: ['', '', ''],
    values: 'Black',
  });
  expect(saved.status).toBe(303);
  const [shade] = await optionsOf(id);
  expect([shade?.name, shade?.values.map(({ value }) => value)]).toEqual([
    'Shade',
    ['Blue', 'Scarlet', 'Green', 'Black'],
  ]);
  expect(shade?.values[1]?.swatch_hex).toBe('#ff2400');
  const page = await browser.open(`/store/products/${id}?tab=options`);
  expect(page.text).toContain('value="Scarlet"');
  expect((await arrange(id, { do: `remove ${ids[2]}`, option: color?.id ?? '' })).status).toBe(303);
  expect((await optionsOf(id))[0]?.values).toHaveLength(3);
  expect((await arrange(id, { do: `remove ${color?.id}`, option: color?.id ?? '' })).status).toBe(303);
  expect(await optionsOf(id)).toEqual([]);
});

it('refuses options that cannot be, saves nothing of them and keeps what was typed', async () => {
  const { id } = await client.data('/products', 'POST', shirt());
  const [color] = await optionsOf(id);
  const sent = (fields: Fields) => arrange(id, { option: color?.id ?? '', name: 'Color', ...fields });
  const values = { id: color?.values.map((one) => one.id) ?? [], picture: ['', ''] };
  const twice = await sent({ do: 'save', ...values, value: ['Red', 'Red'], swatch: ['', ''] });
  expect(twice.status).toBe(409);
  expect(textOf(twice.text)).toContain('The value Red already exists');
  const wrong = await sent({ do: 'save', ...values, value: ['Rose', 'Blue'], swatch: ['red', ''] });
  expect([wrong.status, wrong.text.includes('value="Rose"')]).toEqual([400, true]);
  const unknown = await sent({
    do: 'save',
    ...values,
    value: ['Red', 'Blue'],
    swatch: ['', ''],
    picture: ['med_x', ''],
  });
  expect([unknown.status, textOf(unknown.text)]).toEqual([
    400,
    expect.stringContaining('med_x does not exist'),
  ]);
  const used = await sent({ do: `remove ${color?.values[0]?.id}` });
  expect([used.status, textOf(used.text)]).toEqual([409, expect.stringContaining('is used by the variant')]);
  expect((await sent({ do: 'save', version: '1000' })).status).toBe(409);
  expect((await arrange(id, { do: 'add', name: '' })).status).toBe(400);
  expect((await arrange(id, { do: 'add', name: '<script>', values: '=1+1' })).status).toBe(303);
  expect((await browser.open(`/store/products/${id}?tab=options`)).text).not.toContain('<script>=');
  expect((await arrange(id, { do: 'add', name: 'Fourth' })).status).toBe(400);
  expect((await optionsOf(id))[0]?.values.map(({ value }) => value)).toEqual(['Red', 'Blue']);
});

it('saves all variants of a product with one form, in amounts of the currency', async () => {
  const { id } = await client.data('/products', 'POST', shirt());
  const before = await versionOf(id);
  const saved = await matrix(id, (cells) => {
    cells.price = ['1,234.50', '$20', '21,50', '22.5'];
    cells.compare_at = ['', '30', '', ''];
    cells.weight = ['250', '1,200', '', '0'];
    cells.barcode = ['=1+1', '', '', ''];
    const [first = '', second = ''] = cells.sku ?? [];
    (cells.sku ?? []).splice(0, 2, second, first);
  });
  expect([saved.status, saved.headers.location]).toEqual([303, `/store/products/${id}/variants`]);
  const variants = await variantsOf(id);
  expect(variants.map((one) => [one.price_cents, one.compare_at_cents, one.weight_g, one.barcode])).toEqual([
    [123_450, null, 250, '=1+1'],
    [2000, 3000, 1200, null],
    [2150, null, 0, null],
    [2250, null, 0, null],
  ]);
  expect(variants.map(({ sku, title }) => sku.endsWith(title.replace(' / ', '-')))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(Number(await versionOf(id))).toBe(Number(before) + 1);
  const log = await app.ctx.db.knex('audit_log').where({ target_id: id }).orderBy('seq', 'desc').first();
  expect(JSON.stringify(log)).toContain('priceCents');
});

it('says at each cell what is wrong, keeps all that was typed and saves nothing', async () => {
  const [{ id }, other] = [
    await client.data('/products', 'POST', shirt()),
    await client.data('/products', 'POST', mug()),
  ];
  const taken = (other.variants as Variant[])[0]?.sku ?? '';
  const before = await variantsOf(id);
  const refused = await matrix(id, (cells) => {
    cells.price = ['many', '1.234', '', '30'];
    cells.weight = ['2', '2.5', '3', '4'];
  });
  expect(refused.status).toBe(400);
  expect(textOf(refused.text)).toContain('4 cells need another value');
  expect(textOf(refused.text)).toContain('“many” is not an amount; enter it as 19.00');
  expect(textOf(refused.text)).toContain('“1.234” has 3 decimal places; USD has 2');
  expect(refused.text).toContain('value="many"');
  const double = await matrix(id, (cells) => {
    cells.sku = [taken.toLowerCase(), 'X1', 'x1', '<b>'];
  });
  expect([double.status, textOf(double.text)]).toEqual([
    400,
    expect.stringContaining('3 cells need another value'),
  ]);
  expect(double.text).toContain('value="&lt;b&gt;"');
  const stale = await matrix(id, () => undefined, { version: '99' });
  expect([stale.status, textOf(stale.text)]).toEqual([409, expect.stringContaining('Someone else changed')]);
  const foreign = await matrix(id, (cells) => {
    cells.variant = ['var_1', ...(cells.variant ?? []).slice(1)];
  });
  expect(foreign.status).toBe(404);
  expect(await variantsOf(id)).toEqual(before);
});

it('makes the combinations that are missing, as the JSON does, after it saved what was typed', async () => {
  const made = shirt({ variants: [] });
  const { id } = await client.data('/products', 'POST', made);
  const page = await browser.open(`/store/products/${id}/variants`);
  expect(textOf(page.text)).toContain('4 combinations have no variant');
  expect(page.text).toContain('Create 4 variants');
  const without = await matrix(id, () => undefined, { do: 'generate' });
  expect([without.status, textOf(without.text)]).toEqual([400, expect.stringContaining('price')]);
  const number = another();
  const pattern = `G${number}-{Color}-{Size}`;
  expect((await matrix(id, () => undefined, { do: 'generate', pattern, new_price: '12' })).status).toBe(303);
  expect((await variantsOf(id)).map(({ sku, price_cents }) => [sku, price_cents])).toEqual(
    ['RED-M', 'RED-L', 'BLUE-M', 'BLUE-L'].map((end) => [`G${number}-${end}`, 1200]),
  );
  const [color] = await optionsOf(id);
  await client.data(`/options/${color?.id}/values`, 'POST', { value: 'Green' });
  const more = await matrix(id, (cells) => (cells.price ?? []).fill('13'), { do: 'generate', pattern });
  expect(more.status).toBe(303);
  expect((await variantsOf(id)).map(({ price_cents }) => price_cents)).toEqual(Array(6).fill(1300));
  expect(await client.data(`/products/${id}/variants/generate`, 'POST', {})).toEqual([]);
});

it('shows the matrix to whoever may read, and takes it from whoever may write', async () => {
  const { id } = await client.data('/products', 'POST', mug());
  const { browser: reader } = await member(app, ['products:read']);
  const page = await reader.open(`/store/products/${id}/variants`);
  expect([page.status, page.text.includes('name="sku"')]).toEqual([200, false]);
  expect((await post(`/store/products/${id}/variants`, { do: 'save', version: '1' }, reader)).status).toBe(
    403,
  );
  expect((await browser.open('/store/products/pdt_none/variants')).status).toBe(404);
});

it('leads from the page of a product to its first variant, to all of them, and to the shop', async () => {
  const { id } = await client.data('/products', 'POST', { title: `Bare ${another()}`, type: 'physical' });
  const at = `/store/products/${id}`;
  const { text } = await browser.open(at);
  expect(text).toContain(`<a class="button" href="${at}/variants/new">New variant</a>`);
  expect(text).toContain(`href="${at}/variants">Edit all variants</a>`);
  expect(text).not.toContain('/shop/products/');
  const { browser: reader } = await member(app, ['products:read']);
  const read = await reader.open(at);
  expect(read.text).not.toContain('New variant');
  expect(read.text).toContain('Edit all variants');
  const sold = await client.data('/products', 'POST', mug({ status: 'active' }));
  const shown = await browser.open(`/store/products/${sold.id}`);
  expect(shown.text).toContain(`href="/shop/products/${sold.slug}"`);
});
