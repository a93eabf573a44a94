// What shoppers find: by which words, in which order, and what they may have meant (storefront-api.md, D).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

/** Makes a product and shows it in the shop. */
async function sold(input: object): Promise<string> {
  const { id } = await client.data('/products', 'POST', input);
  await client.data(`/products/${id}/publish`, 'POST', {});
  return id;
}
const titled = (title: string, fields: object = {}) => sold(mug({ title, ...fields }));
const list = async (query: string) => {
  const { status, body } = await app.send(`/api/shop/products?${query}`);
  expect(status).toBe(200);
  return body as unknown as { data: { title: string }[]; pagination: { total: number } };
};
const find = async (q: string, more = ''): Promise<string[]> =>
  (await list(`q=${encodeURIComponent(q)}${more}`)).data.map(({ title }) => title);
const of = (sku: string, cents = 1000) => ({ variants: [{ sku, price_cents: cents }] });

it('shows first what a SKU or a whole title names, then titles, then tags, brand and options, then descriptions', async () => {
  await titled('Set of Quartz Bowl and Plate', of('QB-SET', 2000));
  await titled('Quartz Bowl', of('QB-1'));
  await titled('Vase', { brand: 'Quartz Bowl Works' });
  await titled('Jar', { description_html: '<p>Goes with the <b>quartz</b> bowl</p>' });
  await titled('Tray', { tags: ['bowl'], short_description: 'quartz' });
  await titled('Cup', of('QUARTZ-BOWL'));
  expect(await find('quartz bowl')).toEqual([
    'Cup',
    'Quartz Bowl',
    'Set of Quartz Bowl and Plate',
    'Vase',
    'Tray',
    'Jar',
  ]);
  expect((await find('qb-1'))[0]).toBe('Quartz Bowl');
  expect((await find('qb1'))[0]).toBe('Quartz Bowl');
  expect(await find('quartz bowl', '&sort=price_desc&per_page=1')).toEqual(['Set of Quartz Bowl and Plate']);
});

it('completes the last word alone, and finds plurals, compounds and parts of words', async () => {
  await titled('Zebrawood Boxes');
  await titled('Zinc T-Shirt');
  await titled('Kaffeebecher Zwiesel');
  for (const q of ['zebra', 'zebrawood box', 'ZEBRAWOOD BOXES', 'boxes zebrawoods', 'zebrawood bo'])
    expect([q, await find(q)]).toEqual([q, ['Zebrawood Boxes']]);
  for (const q of ['zinc tshirt', 'zinc t-shirts', 'tshirt zinc'])
    expect([q, await find(q)]).toEqual([q, ['Zinc T-Shirt']]);
  expect(await find('becher')).toEqual(['Kaffeebecher Zwiesel']);
  expect(await find('zebra zinc')).toEqual(expect.arrayContaining(['Zinc T-Shirt']));
});

it('shows what has some of the words when nothing has all of them, the most of them first', async () => {
  await titled('Amber Lantern');
  await titled('Amber Lantern Copper');
  await titled('Copper Ladle');
  const found = await find('amber copper lantern nonesuch');
  expect(found).toEqual(['Amber Lantern Copper', 'Amber Lantern', 'Copper Ladle']);
});

it('finds in every script, without case and accents', async () => {
  await titled('Café Crème Straße Øresund');
  await titled('黒猫のマグカップ');
  await titled('القميص الأزرق');
  await titled('Чёрная Кружка');
  await titled('머그컵 세트');
  const expected: [string, string][] = [
    ['cafe creme', 'Café Crème Straße Øresund'],
    ['STRASSE oresund', 'Café Crème Straße Øresund'],
    ['マグ', '黒猫のマグカップ'],
    ['ﾏｸﾞｶｯﾌﾟ', '黒猫のマグカップ'],
    ['まぐかっぷ', '黒猫のマグカップ'],
    ['猫', '黒猫のマグカップ'],
    ['قميص', 'القميص الأزرق'],
    ['قَمِيص ازرق', 'القميص الأزرق'],
    ['черная', 'Чёрная Кружка'],
    ['그컵', '머그컵 세트'],
  ];
  for (const [q, title] of expected) expect([q, await find(q)]).toEqual([q, [title]]);
});

it('follows each change of a product at once: title, tag, SKU, option, status, deletion', async () => {
  const id = await sold(shirt({ title: 'Follower Xenon', tags: ['xylem'] }));
  const version = async () => Number((await client.data(`/products/${id}`)).version);
  expect(await find('xylem')).toHaveLength(1);
  await client.data(`/products/${id}`, 'PATCH', {
    title: 'Follower Krypton',
    tags: [],
    version: await version(),
  });
  expect([await find('xylem'), await find('xenon'), await find('krypton')]).toEqual([
    [],
    [],
    ['Follower Krypton'],
  ]);
  const { variants } = (await client.data(`/products/${id}`)) as unknown as { variants: { id: string }[] };
  await client.data(`/variants/${variants[0]?.id}`, 'PATCH', { sku: 'ARGON-1' });
  expect(await find('argon')).toHaveLength(1);
  const { options } = (await client.data(`/products/${id}`)) as unknown as {
    options: { id: string; values: { id: string }[] }[];
  };
  const values = options[0]?.values ?? [];
  await client.data(`/option-values/${values[0]?.id}`, 'PATCH', { value: 'Radon' });
  expect(await find('follower radon')).toHaveLength(1);
  expect((await client.send(`/products/${id}/archive`, 'POST', { version: await version() })).status).toBe(
    200,
  );
  expect(await find('krypton')).toEqual([]);
  expect((await client.send(`/products/${id}`, 'DELETE', { version: await version() })).status).toBe(200);
  expect(await find('krypton')).toEqual([]);
});

it('a draft and what is shown tomorrow are not found', async () => {
  await client.data('/products', 'POST', mug({ title: 'Unseen Draft' }));
  const id = await titled('Unseen Tomorrow');
  const { version } = await client.data(`/products/${id}`);
  await client.data(`/products/${id}`, 'PATCH', { publish_at: '2999-01-01T00:00:00Z', version });
  expect(await find('unseen')).toEqual([]);
});

it('bears whatever is looked for', async () => {
  await titled('Sturdy Anvil');
  const odd = [
    '"',
    "'",
    '*',
    'AND',
    'NOT OR',
    'NEAR(a b)',
    'title:anvil',
    '-',
    '^',
    '😀',
    '\\',
    '()',
    '%',
    '_',
  ];
  for (const q of odd)
    expect([q, (await list(`q=${encodeURIComponent(q)}`)).data.length >= 0]).toEqual([q, true]);
  for (const q of ['"sturdy', 'sturdy*', 'sturdy -anvil', 'sturdy:anvil', "sturdy' anvil", '{title}:sturdy'])
    expect([q, (await find(q)).includes('Sturdy Anvil')]).toEqual([q, true]);
  expect((await list('q=&per_page=1')).data).toHaveLength(1);
  const refused = ['q=%00', `q=${'x'.repeat(10_000)}`, 'q=a&sort=no-such', 'q=a&page=0', 'q=a&page=-1'];
  for (const query of refused) expect((await app.send(`/api/shop/products?${query}`)).status).toBe(400);
  expect((await app.send('/api/shop/products?q=%ED%A0%80')).status).toBeLessThan(500);
  expect((await list('q=sturdy&page=1000000000')).data).toEqual([]);
});
