// Texts of the shop in words of its own: by the panel, by JSON, and by the operator's folder (shop-pages 9).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { get } from '#platform/settings/index.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp();
  token = (await app.adminToken('owner')).secret;
});
afterAll(() => app.close());

const PATH = '/store/settings/labels';
const open = (path: string) => openBrowser(app.send).open(path);
const patch = (body: unknown) =>
  app.send('/api/store/settings', { method: 'PATCH', body, headers: { Authorization: `Bearer ${token}` } });
const own = () => get(app.ctx, 'labels').value;

it('lists every text with what it says by default, finds some, and changes the shop at once', async () => {
  const { browser } = await member(app);
  const page = await browser.open(`${PATH}?lang=de&q=nav.`);
  expect(page.status).toBe(200);
  expect(page.text).toContain('value="nav.products"');
  expect(page.text).not.toContain('value="list.count_one"');
  const before = (await open('/shop/?lang=de')).text;
  const { result, changes } = await app.changesBy(() =>
    browser.submit(`${PATH}?lang=de`, { lang: 'de', key: 'nav.products', text: 'Alle <b>Tees</b>' }),
  );
  expect([result.status, result.headers.location]).toEqual([303, `${PATH}?lang=de&done=saved`]);
  expect(changes.events).toEqual(['SETTING_CHANGED']);
  const { text } = await open('/shop/?lang=de');
  expect(before).not.toContain('Tees');
  expect(text).toContain('Alle &lt;b&gt;Tees&lt;/b&gt;');
  expect((await open('/shop/?lang=en')).text).toContain('All products');
  // A second one leaves the first, and one as it was is none.
  await browser.submit(`${PATH}?lang=de`, { lang: 'de', key: 'list.count_one', text: 'Ein Tee' });
  await browser.submit(`${PATH}?lang=en`, { lang: 'en', key: 'nav.home', text: 'Home' });
  expect(own()).toEqual({ de: { 'nav.products': 'Alle <b>Tees</b>', 'list.count_one': 'Ein Tee' } });
  for (const key of ['nav.products', 'list.count_one'])
    await browser.submit(`${PATH}?lang=de`, { lang: 'de', reset: key });
  expect(own()).toEqual({});
  expect((await open('/shop/?lang=de')).text).not.toContain('Tees');
});

it.each([
  ['list.count_other', 'Tees', 'must contain {{count}}'],
  ['list.count_other', '{{count}} {{what}}', 'has no value for {{what}}; it can use {{count}}'],
  ['nav.home', 'Home {{count}}', 'has no value for {{count}}; leave it out'],
  ['nav.home', '$t(nav.home)', 'must not contain $t('],
  ['nav.nope', 'x', 'is not a text of the shop'],
  ['constructor', 'x', 'is not a text of the shop'],
])('%s as %j is refused by the form and by JSON', async (key, text, words) => {
  const { browser } = await member(app);
  const { status, text: html } = await browser.submit(PATH, { lang: 'en', key, text });
  expect([status, own()]).toEqual([400, {}]);
  if (key.startsWith('nav.home')) {
    expect(textOf(html)).toContain(`The text ${words}`);
    expect(html).toMatch(/href="#label-\d+"/);
  }
  const sent = await patch({
    labels: { en: JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(text)}}`) },
  });
  expect(sent.status).toBe(400);
  expect(JSON.stringify(sent.body)).toContain(words.replaceAll('"', '\\"'));
});

it('JSON sets them as one setting; a language that there is not is refused', async () => {
  expect((await patch({ labels: { xx: { 'nav.home': 'x' } } })).status).toBe(400);
  expect((await patch({ labels: '{"fr":{"nav.home":"Boutique"}}' })).status).toBe(200);
  expect(own()).toEqual({ fr: { 'nav.home': 'Boutique' } });
  expect((await patch({ labels: null })).status).toBe(200);
});

it('two members of staff who save at the same time lose none of their labels', async () => {
  const keys = ['nav.home', 'nav.sale', 'home.new', 'home.all', 'sort.name', 'sort.rating'];
  const browsers = await Promise.all([member(app), member(app)]);
  const pages = await Promise.all(browsers.map(({ browser }) => browser.open(PATH)));
  const tokens = pages.map(({ text }) => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '');
  const replies = await Promise.all(
    keys.map((key, at) =>
      browsers[at % 2]!.browser.post(PATH, { _csrf: tokens[at % 2]!, lang: 'en', key, text: `Own ${at}` }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(keys.map(() => 303));
  expect(own()).toEqual({ en: Object.fromEntries(keys.map((key, at) => [key, `Own ${at}`])) });
  await patch({ labels: null });
});

it('who may only read them sends nothing', async () => {
  const { browser } = await member(app, ['settings:read']);
  const { text } = await browser.open(PATH);
  expect(text).not.toContain('name="text"');
  const { text: profile } = await browser.open('/admin/profile');
  const _csrf = /name="_csrf" value="([^"]*)"/.exec(profile)?.[1] ?? '';
  expect((await browser.post(PATH, { _csrf, lang: 'en', key: 'nav.home', text: 'x' })).status).toBe(403);
});
