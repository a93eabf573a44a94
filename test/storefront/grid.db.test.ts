// Products and variants in one table: saved row by row, and pasted out of a spreadsheet, without a script.
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

const PATH = '/store/products/grid';
const COLUMNS = ['title', 'status', 'sku', 'price', 'compare_at', 'cost', 'weight', 'brand', 'tags'] as const;
type Cells = Record<string, string[]>;
interface Variant {
  id: string;
  sku: string;
  price_cents: number;
  cost_cents: number | null;
  weight_g: number;
}
const stored = async (id: string) =>
  (await client.data(`/products/${id}`)) as unknown as {
    title: string;
    brand: string | null;
    status: string;
    tags: string[];
    version: number;
    variants: Variant[];
  };

const valueIn = (tag: string): string => textOf(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
/** The table of a page as a browser would send it. */
function cellsIn(html: string): Cells {
  const table = /<table class="editor">[\s\S]*?<\/table>/.exec(html)?.[0] ?? '';
  const cells: Cells = {};
  for (const [whole] of table.matchAll(/<input[^>]*>|<select[\s\S]*?<\/select>/g)) {
    const name = / name="([^"]*)"/.exec(whole)?.[1] ?? '';
    const chosen = /<option value="([^"]*)" selected/.exec(whole)?.[1];
    (cells[name] ??= []).push(chosen ?? valueIn(whole));
  }
  return cells;
}
async function post(fields: Record<string, string | string[]>, as = browser, path = PATH) {
  const _csrf = tokenIn((await as.open('/admin/profile')).text);
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return as.post(path, [['_csrf', _csrf], ...pairs]);
}
const open = async (...ids: string[]) => cellsIn((await browser.open(`${PATH}?ids=${ids.join(',')}`)).text);

it('shows variants with their products, narrowed and page by page', async () => {
  const word = `Grid${another()}`;
  const one = await client.data('/products', 'POST', shirt({ title: `${word} one`, brand: 'Acme' }));
  await client.data('/products', 'POST', mug({ title: `${word} two`, tags: ['a', 'b'] }));
  const page = await browser.open(`${PATH}?q=${word}`);
  const cells = cellsIn(page.text);
  expect(cells.variant).toHaveLength(5);
  expect(cells.title).toEqual([`${word} two`, `${word} one`, `${word} one`, `${word} one`, `${word} one`]);
  expect(page.text.match(/<input id="title-/g)).toHaveLength(2);
  expect(Object.keys(cells)).toEqual(['variant', 'version', 'was', ...COLUMNS]);
  expect((await open(one.id)).variant).toHaveLength(4);
  expect((await browser.open(`${PATH}?page=1000000000`)).status).toBe(200);
  expect((await browser.open(`${PATH}?page=-1&status=nonsense`)).status).toBe(200);
  expect((await browser.open('/store/products')).text).toContain(`href="${PATH}"`);
});

it('saves what was changed and shows it before and after', async () => {
  const [a, b] = [
    await client.data('/products', 'POST', mug()),
    await client.data('/products', 'POST', shirt()),
  ];
  const untouched = await client.data('/products', 'POST', mug());
  const cells = await open(a.id, b.id, untouched.id);
  const at = (id: string) => cells.variant?.indexOf(id) ?? -1;
  const of = async (id: string) => (await stored(id)).variants.map((one) => one.id);
  const [mugRow, shirtRow] = [at((await of(a.id))[0] ?? ''), at((await of(b.id))[0] ?? '')];
  (cells.title ?? [])[mugRow] = '=HYPERLINK("x")';
  (cells.price ?? [])[mugRow] = '1,999.90';
  (cells.status ?? [])[mugRow] = 'active';
  (cells.tags ?? [])[shirtRow] = 'summer, linen';
  (cells.cost ?? [])[shirtRow] = '3.5';
  const saved = await post({ do: 'save', ...cells });
  expect(saved.status).toBe(200);
  expect(textOf(saved.text)).toContain('5 cells were saved');
  expect(textOf(saved.text)).toContain('Price (USD) 19.00 1,999.90');
  expect(await stored(a.id)).toMatchObject({
    title: '=HYPERLINK("x")',
    status: 'active',
    variants: [{ price_cents: 199_990 }],
  });
  expect(await stored(b.id)).toMatchObject({
    tags: ['linen', 'summer'],
    variants: [{ cost_cents: 350 }, {}, {}, {}],
  });
  expect((await stored(untouched.id)).version).toBe(untouched.version);
});

it('reports a stale row and cells that cannot be, and saves the others', async () => {
  const [a, b, c] = [
    await client.data('/products', 'POST', mug()),
    await client.data('/products', 'POST', mug()),
    await client.data('/products', 'POST', mug()),
  ];
  const cells = await open(a.id, b.id, c.id);
  await client.data(`/products/${a.id}`, 'PATCH', { brand: 'Theirs' });
  const rows = await Promise.all([a, b, c].map(async ({ id }) => (await stored(id)).variants[0]?.id ?? ''));
  const [first = -1, second = -1, third = -1] = rows.map((id) => cells.variant?.indexOf(id));
  (cells.brand ?? [])[first] = 'Mine';
  (cells.price ?? [])[second] = '<b>';
  (cells.title ?? [])[second] = 'Not saved';
  (cells.weight ?? [])[third] = '250';
  const answer = await post({ do: 'save', ...cells });
  expect(answer.status).toBe(400);
  const said = textOf(answer.text);
  expect(said).toContain('Some rows were not saved');
  expect(said).toContain('Someone else changed this product');
  expect(said).toContain('“<b>” is not an amount');
  expect(answer.text).toContain('value="Mine"');
  expect(answer.text).not.toContain('“<b>”');
  expect([(await stored(a.id)).brand, (await stored(b.id)).title]).toEqual(['Theirs', b.title]);
  expect((await stored(c.id)).variants[0]?.weight_g).toBe(250);
  // The page that was answered holds the newest version: saved again, the entry stands.
  const again = cellsIn(answer.text);
  (again.price ?? [])[second] = '5';
  expect((await post({ do: 'save', ...again })).status).toBe(200);
  expect([(await stored(a.id)).brand, (await stored(b.id)).variants[0]?.price_cents]).toEqual(['Mine', 500]);
});

it('says what a pasted table would change, and saves it when it is sent', async () => {
  const [a, b] = [
    await client.data('/products', 'POST', mug()),
    await client.data('/products', 'POST', mug()),
  ];
  const [one, two] = [
    (await stored(a.id)).variants[0]?.sku ?? '',
    (await stored(b.id)).variants[0]?.sku ?? '',
  ];
  const paste = [
    ['Title', 'sku', 'Price (USD)', 'Color', 'tags'],
    ['"A ""quoted""\nname"', one.toLowerCase(), '25.5', 'red', 'x, y'],
    ['', two, '', 'blue', ''],
    ['', 'NO-SUCH', '1', '', ''],
  ]
    .map((row) => row.join('\t'))
    .join('\r\n');
  const preview = await post({ do: 'preview', paste });
  expect(preview.status).toBe(200);
  const said = textOf(preview.text);
  expect(said).toContain('3 cells would change. Nothing is saved yet');
  expect(said).toContain('Unknown columns were skipped: Color');
  expect(said).toContain('Rows with unknown SKUs were skipped: NO-SUCH');
  expect((await stored(a.id)).title).toBe(a.title);
  const saved = await post({ do: 'save', ...cellsIn(preview.text) });
  expect(textOf(saved.text)).toContain('3 cells were saved');
  expect(await stored(a.id)).toMatchObject({ tags: ['x', 'y'], variants: [{ price_cents: 2550, sku: one }] });
  expect((await stored(b.id)).version).toBe(b.version);
  for (const wrong of ['', 'Title\tPrice\nx\t1', 'sku', `sku\n${'A\n'.repeat(201)}`]) {
    const refused = await post({ do: 'preview', paste: wrong });
    expect([refused.status, textOf(refused.text)]).toEqual([
      400,
      expect.stringContaining('Nothing was read'),
    ]);
  }
  expect((await post({ do: 'preview', paste: 'sku\ttitle\nA\t"open' })).status).toBe(400);
});

it('is led to by chosen products, and closed to whoever may not write', async () => {
  const { id } = await client.data('/products', 'POST', mug());
  const list = await browser.open('/store/products');
  expect(list.text).toContain(`formaction="${PATH}/chosen"`);
  const chosen = await post({ ids: [id] }, browser, `${PATH}/chosen`);
  expect([chosen.status, chosen.headers.location]).toEqual([303, `${PATH}?ids=${id}`]);
  const all = await post({ ids: [id], all: 'true', filter: 'status=draft' }, browser, `${PATH}/chosen`);
  expect(all.headers.location).toBe(`${PATH}?status=draft`);
  const { browser: reader } = await member(app, ['products:read']);
  const page = await reader.open(`${PATH}?ids=${id}`);
  expect([page.status, page.text.includes('<input id="sku-')]).toEqual([200, false]);
  expect((await post({ do: 'save', ...(await open(id)) }, reader)).status).toBe(403);
  const { browser: stranger } = await member(app, ['orders:read']);
  expect((await stranger.open(PATH)).status).toBe(403);
});
