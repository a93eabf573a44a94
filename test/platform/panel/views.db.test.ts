// Views of lists that staff saved: of one's own and shared, the one that a list opens with, and columns that are kept.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Browser, tokenIn } from '../../support/browser.ts';
import { headingOf, member, rowsOf, textOf } from './staff.ts';

const LIST = '/admin/products';
const VIEWS = `${LIST}/views`;
const NARROWED = 'q=views&sort=-name';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  for (const n of [1, 2]) await products.create(app.ctx, { name: `Views ${n}`, slug: `views-${n}` });
  await products.create(app.ctx, { name: 'Other', slug: 'other' });
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ browser } = await member(app));
});

const send = async (fields: Record<string, string>, as: Browser = browser) =>
  as.post(VIEWS, { _csrf: tokenIn((await as.open(VIEWS)).text), ...fields });
/** Saves a view and answers the address that it led to. */
async function save(fields: Record<string, string> = {}, as: Browser = browser) {
  const { status, headers } = await send({ task: 'save', name: 'Mine', query: NARROWED, ...fields }, as);
  expect(status).toBe(303);
  const address = headers.location ?? '';
  return { address, id: /view=(viw_\w{26})/.exec(address)?.[1] ?? '' };
}
const linksOf = (html: string) => {
  const list = /<ul class="views"[\s\S]*?<\/ul>/.exec(html)?.[0] ?? '';
  return [...list.matchAll(/<a href="[^"]*"( aria-current="true")?[^>]*>([\s\S]*?)<\/a>/g)].map(
    ([, current, name = '']) => (current ? `*${textOf(name)}` : textOf(name)),
  );
};

it('keeps filters, search and order under a name, without the page that was looked at', async () => {
  const { address, id } = await save({ query: `${NARROWED}&page=3&done=create` });
  expect(address).toBe(`${LIST}?q=views&sort=-name&view=${id}&done=view`);
  const { text } = await browser.open(address);
  expect(textOf(text)).toContain('The view was saved.');
  expect(linksOf(text)).toEqual(['All', '*Mine']);
  expect(rowsOf(text).map(([, name]) => name)).toEqual(['Views 2', 'Views 1']);
  expect(text).not.toContain('Reset the view');
  const other = await browser.open(`${LIST}?q=views&view=${id}`);
  expect(other.text).toContain(`<a href="${LIST}?q=views&amp;sort=-name&amp;view=${id}">Reset the view</a>`);
});

it('a name with characters that nobody sees is refused, for one that is made and one that is renamed', async () => {
  const { id } = await save({ name: 'Seen' });
  for (const name of ['Re\u202eversed', 'Ze\u200bro', 'Two\u2028lines']) {
    const made = await app.changesBy(() => send({ task: 'save', name, query: NARROWED }));
    expect([made.result.status, made.changes.rows.saved_views]).toEqual([400, undefined]);
    expect(textOf(made.result.text)).toContain('has invisible characters');
    const renamed = await send({ task: 'change', id, newName: name });
    expect(renamed.status).toBe(400);
  }
  await send({ task: 'change', id, newName: 'Größe 寸法 😀' });
  expect((await browser.open(VIEWS)).text).toContain('Größe 寸法 😀');
});

it('one of the same name is replaced; names are kept apart, lists too', async () => {
  const { id } = await save();
  expect(await save({ query: 'q=other' })).toEqual({ id, address: `${LIST}?q=other&view=${id}&done=view` });
  const { id: second } = await save({ name: 'Second' });
  const { text } = await browser.open(VIEWS);
  expect(rowsOf(text).map(([name]) => name)).toEqual(['Mine', 'Second']);
  expect(linksOf((await browser.open('/admin/policies')).text)).toEqual([]);
  const taken = await send({ task: 'change', id: second, newName: 'Mine' });
  expect([taken.status, textOf(taken.text)]).toEqual([
    409,
    expect.stringContaining('You have a view named "Mine" already'),
  ]);
  expect((await send({ task: 'change', id: second, newName: 'Third' })).status).toBe(303);
  expect(rowsOf((await browser.open(VIEWS)).text).map(([name]) => name)).toEqual(['Mine', 'Third']);
});

it('a list opens with the view that was chosen, and everything is one press away', async () => {
  const { id } = await save({ isDefault: 'true' });
  const { status, headers } = await browser.open(LIST);
  expect([status, headers.location]).toEqual([303, `${LIST}?q=views&sort=-name&view=${id}`]);
  const { text } = await browser.open(headers.location ?? '');
  expect(text).toContain(`<a href="${LIST}?view=all">Clear all</a>`);
  const all = await browser.open(`${LIST}?view=all`);
  expect([all.status, linksOf(all.text), rowsOf(all.text).length]).toEqual([200, ['*All', 'Mine'], 3]);
  await send({ task: 'open' });
  expect((await browser.open(LIST)).status).toBe(200);
  await send({ task: 'open', id });
  expect((await browser.open(LIST)).status).toBe(303);
  await send({ task: 'remove', id });
  expect((await browser.open(LIST)).status).toBe(200);
});

it('whoever sees the list sees what is shared, and changes nothing of it', async () => {
  const { result, changes } = await app.changesBy(() => save({ name: 'Ours', shared: 'true' }));
  expect([changes.events, changes.rows.saved_views]).toEqual([['VIEW_SHARED'], '+1']);
  const reader = await member(app, ['licensing:read']);
  expect(linksOf((await reader.browser.open(LIST)).text)).toEqual(['*All', 'Ours']);
  expect((await send({ task: 'open', id: result.id }, reader.browser)).status).toBe(303);
  expect((await reader.browser.open(LIST)).status).toBe(303);
  for (const task of ['change', 'remove'])
    expect((await send({ task, id: result.id, newName: 'Theirs' }, reader.browser)).status).toBe(404);
  const withdrawn = await app.changesBy(() => send({ task: 'change', id: result.id, newName: 'Ours' }));
  expect(withdrawn.changes.events).toEqual(['VIEW_WITHDRAWN']);
  // The list opens as ever for whoever had chosen it.
  const { status, text } = await reader.browser.open(LIST);
  expect([status, linksOf(text)]).toEqual([200, []]);
});

it('who administers staff removes what others share, and nothing that they keep to themselves', async () => {
  const shared = await save({ name: 'Shared', shared: 'true' });
  const own = await save({ name: 'Own' });
  const boss = await member(app, ['licensing:read', 'users:write']);
  expect((await send({ task: 'remove', id: own.id }, boss.browser)).status).toBe(404);
  expect((await send({ task: 'remove', id: shared.id }, boss.browser)).status).toBe(303);
  expect(rowsOf((await browser.open(VIEWS)).text).map(([name]) => name)).toEqual(['Own']);
});

it('another tenant knows nothing of it', async () => {
  const { id } = await save({ name: 'Tenant', shared: 'true' });
  const { id: tenantId } = await tenants.create(app.ctx, { slug: 'views', name: 'Views' });
  const stranger = await member(app, ['licensing:read', 'users:write'], tenantId);
  expect(linksOf((await stranger.browser.open(LIST)).text)).toEqual([]);
  for (const task of ['open', 'remove'])
    expect((await send({ task, id }, stranger.browser)).status).toBe(404);
});

it('who may not see the list may not see its views', async () => {
  const { browser: none } = await member(app, ['orders:read']);
  const { status, text } = await none.open(VIEWS);
  expect([status, headingOf(text)]).toEqual([403, 'You cannot open this page']);
});

it('a view of a filter that is gone shows the list and says so; one of a wrong word says which', async () => {
  await save({ query: 'color=<i>red</i>&q=views', name: 'Gone' });
  const { status, text } = await browser.open(`${LIST}?color=red&q=views`);
  expect([status, rowsOf(text).length]).toEqual([200, 2]);
  expect(textOf(text)).toContain('This list has no filter “ color ”');
  const { status: bad } = await browser.open(`${LIST}?status=PURPLE`);
  expect(bad).toBe(400);
});

it.each([
  ['no name', { name: ' ' }, 'Name is required'],
  ['a long name', { name: 'x'.repeat(101) }, 'at most 100'],
  ['too many filters', { query: `q=${'x'.repeat(2001)}` }, 'too long to save'],
])('%s is refused beside the form, which keeps what was typed', async (_what, fields, words) => {
  const { status, text } = await send({ task: 'save', name: 'Kept', query: NARROWED, ...fields });
  expect(status).toBe(400);
  expect(textOf(text)).toContain(words);
  expect(text).toContain('id="field-name"');
});

it('names are texts, whatever can be seen in them', async () => {
  const name = '"><script>alert(1)</script>{{7*7}}';
  const { address } = await save({ name, shared: 'true' });
  for (const path of [address, VIEWS]) {
    const { status, text } = await browser.open(path);
    expect([status, text.includes('<script>alert')]).toEqual([200, false]);
    expect(textOf(text)).toContain('<script>alert(1)</script>');
  }
});

it('at most 50 a person and list', async () => {
  const token = tokenIn((await browser.open(VIEWS)).text);
  for (let n = 0; n < 50; n += 1)
    await browser.post(VIEWS, { _csrf: token, task: 'save', name: `View ${n}`, query: '' });
  const { status, text } = await send({ task: 'save', name: 'One more', query: '' });
  expect([status, textOf(text)]).toEqual([409, expect.stringContaining('Remove one first')]);
});

it('columns that somebody keeps are those of the list from then on, for nobody else', async () => {
  const columnsOf = (html: string) =>
    [...html.matchAll(/<th scope="col"[^>]*>([\s\S]*?)<\/th>/g)].map(([, head = '']) => textOf(head));
  const picked = await browser.open(`${LIST}?columns=name,slug&q=views`);
  expect(picked.text).toContain('value="name,slug">Save these columns');
  const kept = await send({ task: 'columns', columns: 'name,slug', query: 'columns=name,slug&q=views' });
  expect(kept.headers.location).toBe(`${LIST}?q=views&done=columns`);
  const { text } = await browser.open(LIST);
  expect(columnsOf(text).slice(-2)).toEqual(['Name ↑', 'Short name']);
  const { browser: other } = await member(app);
  expect(columnsOf((await other.open(LIST)).text).length).toBeGreaterThan(3);
  await send({ task: 'columns', query: '' });
  expect(columnsOf((await browser.open(LIST)).text).length).toBeGreaterThan(3);
});
