// What the header and the footer of the shop lead to: by JSON, by the form of the panel without a script, in the shop.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { another, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());
beforeEach(() => put({}));

const put = (menus: unknown) => client.send('/navigation', 'PUT', { menus });
const url = (label: string, target: string, items?: unknown) => ({ label, type: 'url', target, items });
const page = (fields: object = {}) =>
  client.data('/pages', 'POST', {
    title: `Page ${another()}`,
    body_html: 'x',
    status: 'published',
    ...fields,
  });
const home = async () => (await openBrowser(app.send).open('/shop/')).text;
/** What a menu of the start page leads to, in its order. */
const linksIn = (html: string, label: string): string[] => {
  const nav = new RegExp(`<nav[^>]*aria-label="${label}">([\\s\\S]*?)</nav>`).exec(html)?.[1] ?? '';
  return [...nav.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href);
};
const header = async () => linksIn(await home(), 'Shop');
const footer = async () => linksIn(await home(), 'Information');

it('without menus the shop lists its categories and its published pages', async () => {
  const category = await client.data('/categories', 'POST', { name: `Category ${another()}` });
  const terms = await page({ title: 'A first page' });
  expect(await client.data('/navigation')).toEqual({ header: null, footer: null });
  expect(await header()).toEqual([
    '/shop/products',
    `/shop/categories/${category.slug}`,
    '/shop/products?on_sale=1',
  ]);
  expect((await footer())[0]).toBe(`/shop/pages/${terms.slug}`);
});

it('leads to what was chosen, wherever it moves, and leaves out what is not there', async () => {
  const [terms, secret] = [await page(), await page()];
  const category = await client.data('/categories', 'POST', { name: `Category ${another()}` });
  const collection = await client.data('/collections', 'POST', { title: `C ${another()}`, kind: 'manual' });
  const menus = {
    header: [
      {
        label: 'Goods',
        type: 'category',
        target: category.slug,
        items: [url('Blog', 'https://blog.test/a?b=1#c')],
      },
      { label: 'Picks <b>', type: 'collection', target: collection.id },
    ],
    footer: [
      { label: 'Terms', type: 'page', target: terms.id },
      { label: 'Secret', type: 'page', target: secret.slug },
    ],
  };
  const { result, changes } = await app.changesBy(() => put(menus));
  expect(result.status).toBe(200);
  expect(changes.events).toEqual(['navigation.updated']);
  expect(result.body.data).toMatchObject({
    header: [
      {
        label: 'Goods',
        target: category.id,
        href: `/shop/categories/${category.slug}`,
        items: [{ label: 'Blog', href: 'https://blog.test/a?b=1#c' }],
      },
      { label: 'Picks <b>', items: [] },
    ],
  });
  expect(await header()).toEqual([
    `/shop/categories/${category.slug}`,
    'https://blog.test/a?b=1#c',
    `/shop/collections/${collection.slug}`,
  ]);
  expect(await home()).toContain('Picks &lt;b&gt;');
  expect((await app.changesBy(() => put(menus))).changes.rows).toEqual({});
  await client.data(`/pages/${terms.id}`, 'PATCH', { slug: `terms-${another()}` });
  await client.data(`/pages/${secret.id}`, 'PATCH', { status: 'draft' });
  const { slug } = await client.data(`/pages/${terms.id}`);
  expect(await footer()).toEqual([`/shop/pages/${slug}`]);
  // What stood there stays, and is shown again once it can be read.
  const kept = (await client.data('/navigation')) as unknown as {
    footer: { target: string; href: string | null }[];
  };
  expect(kept.footer.map(({ href }) => href)).toEqual([`/shop/pages/${slug}`, null]);
  expect((await put({ footer: kept.footer })).status).toBe(200);
  await client.data(`/pages/${secret.id}`, 'PATCH', { status: 'published' });
  expect(await footer()).toHaveLength(2);
});

it.each([
  ['no menus', undefined, 'VALIDATION_MISSING_FIELD'],
  ['a text', 'header', 'VALIDATION_ERROR'],
  ['no label', { header: [{ type: 'url', target: '/' }] }, 'VALIDATION_MISSING_FIELD'],
  ['an empty label', { header: [url(' ', '/')] }, 'VALIDATION_ERROR'],
  ['a script', { header: [url('A', 'javascript:alert(1)')] }, 'VALIDATION_ERROR'],
  ['data', { header: [url('A', 'data:text/html,x')] }, 'VALIDATION_ERROR'],
  ['another site without a scheme', { header: [url('A', '//evil.test')] }, 'VALIDATION_ERROR'],
  ['another site by a backslash', { header: [url('A', '/\\evil.test')] }, 'VALIDATION_ERROR'],
  ['a line break', { header: [url('A', '/a\nb')] }, 'VALIDATION_ERROR'],
  ['an unknown page', { footer: [{ label: 'A', type: 'page', target: 'pag_no' }] }, 'VALIDATION_ERROR'],
  ['another type', { footer: [{ label: 'A', type: 'mail', target: 'a@b.test' }] }, 'VALIDATION_ERROR'],
  ['a script below', { header: [url('A', '/', [url('B', 'JavaScript:x')])] }, 'VALIDATION_ERROR'],
  ['51 items', { header: Array.from({ length: 51 }, () => url('A', '/')) }, 'VALIDATION_ERROR'],
])('%s is refused, and nothing changes', async (_what, menus, code) => {
  const { result, changes } = await app.changesBy(() => put(menus));
  expect([result.status, result.body.error_code]).toEqual([400, code]);
  expect(changes.rows).toEqual({});
});

it('two that save at once leave the menus of one of them', async () => {
  const answers = await Promise.all(
    [1, 2, 3, 4].map((number) => put({ header: [url(`One ${number}`, `/shop/${number}`)] })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await header()).toHaveLength(1);
});

it('who reads settings sees the menus, who writes them changes them', async () => {
  const viewer = await storeClient(app, 'viewer');
  expect((await viewer.send('/navigation')).status).toBe(200);
  expect((await viewer.send('/navigation', 'PUT', { menus: {} })).status).toBe(403);
  expect((await app.get('/api/store/navigation')).status).toBe(401);
  const { browser } = await member(app, ['content:write']);
  expect((await browser.open('/store/navigation')).status).toBe(403);
});

it('staff add, order, nest and remove items by a form', async () => {
  const terms = await page({ title: `Terms ${another()}` });
  const { browser } = await member(app);
  const token = async () =>
    /name="_csrf" value="([^"]*)"/.exec((await browser.open('/store/navigation')).text)?.[1] ?? '';
  const send = async (rows: readonly (readonly string[])[]) => {
    const body = new URLSearchParams({ _csrf: await token() });
    for (const [menu = '', position = '', level = '', label = '', to = '', address = ''] of rows) {
      const fields = { menu, position, level, label, to, url: address };
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
    }
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: cookie };
    return app.send('/store/navigation', { method: 'POST', body: body.toString(), headers });
  };
  const saved = await send([
    ['header', '2', '1', 'Second', '', '/shop/b'],
    ['header', '3', '2', 'Under it', '', 'https://c.test/'],
    ['header', '1', '1', 'First', `page:${terms.id}`, ''],
    ['header', '4', '1', '', '', ''],
    ['footer', '1', '2', 'Alone', '', '/shop/d'],
  ]);
  expect([saved.status, saved.headers.location]).toEqual([303, '/store/navigation']);
  expect(await header()).toEqual([`/shop/pages/${terms.slug}`, '/shop/b', 'https://c.test/']);
  expect(await footer()).toEqual(['/shop/d']);
  const shown = (await browser.open('/store/navigation')).text;
  expect(shown).toContain('value="Under it"');
  expect(shown).toContain(`<option value="page:${terms.id}" selected>`);
  const refused = await send([['header', '1', '1', 'Mine', '', 'javascript:x']]);
  expect(refused.status).toBe(400);
  expect(textOf(refused.text)).toContain('Header, item 1: "javascript:x" must start with');
  expect(refused.text).toContain('value="Mine"');
  expect((await send([['footer', '1', '1', '', '', '']])).status).toBe(303);
  expect(await client.data('/navigation')).toEqual({ header: null, footer: null });
});
