// Pages that staff write: made, changed, moved and removed by JSON and in the panel, read by everybody once published.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as apiKeys from '#platform/api-keys/index.ts';
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

const make = (fields: object = {}) =>
  client.data('/pages', 'POST', { title: `Page ${another()}`, body_html: '<p>Text</p>', ...fields });
const published = (fields: object = {}) => make({ status: 'published', ...fields });
const open = (path: string) => openBrowser(app.send).open(path);

it('is made as a draft with a slug of its title, shown as it was made, and told once', async () => {
  const { result, changes } = await app.changesBy(() => make({ title: 'Terms & Conditions' }));
  expect(result).toMatchObject({
    id: expect.stringMatching(/^pag_/),
    slug: 'terms-conditions',
    status: 'draft',
    body_html: '<p>Text</p>',
    body_markdown: null,
    seo: { title: null, description: null },
  });
  expect(await client.data(`/pages/${result.id}`)).toEqual(result);
  expect(changes.events).toEqual(['page.created']);
  expect((await make({ title: 'Terms & Conditions' })).slug).toBe('terms-conditions-2');
  const list = await client.send('/pages?q=terms&sort=title');
  expect((list.body.data as unknown as object[]).length).toBe(2);
  expect(list.body.pagination).toEqual({ page: 1, per_page: 20, total: 2, total_pages: 1 });
  for (const page of ['0', '-1', 'x']) expect((await client.send(`/pages?page=${page}`)).status).toBe(400);
  expect((await client.send('/pages?page=1000000000')).body.data).toEqual([]);
});

it('HTML is cleaned before it is stored; Markdown is stored as it was written, with the HTML that it makes', async () => {
  const bad =
    '<h2>A</h2><script>alert(1)</script><p onclick="x()">B<a href="javascript:x()">C</a></p><style>*{}</style>';
  const html = await make({ body_html: bad });
  expect(html.body_html).toBe('<h2>A</h2><p>B<a>C</a></p>');
  const body_markdown = '# A\n\n**B** [c](javascript:x) <script>alert(1)</script>\n\n| d |\n| - |\n| e |';
  const page = await make({ body_html: undefined, body_markdown });
  expect(page.body_markdown).toBe(body_markdown);
  expect(page.body_html).toMatch(/^<h1>A<\/h1>\n<p><strong>B<\/strong> <a>c<\/a>\s*<\/p>\n<table>/);
  expect(page.body_html).not.toContain('script');
  const again = await client.data(`/pages/${page.id}`, 'PATCH', { body_html: '<p>New</p>' });
  expect([again.body_html, again.body_markdown]).toEqual(['<p>New</p>', null]);
  const { changes } = await app.changesBy(() =>
    client.data(`/pages/${page.id}`, 'PATCH', { body_html: '<p>New</p>', unknown: 1 }),
  );
  expect([changes.events, changes.rows]).toEqual([[], {}]);
});

it.each([
  ['no title', { body_html: 'x' }, 'VALIDATION_MISSING_FIELD', undefined],
  ['no text', { title: 'A' }, 'VALIDATION_MISSING_FIELD', undefined],
  ['two texts', { title: 'A', body_html: 'x', body_markdown: 'y' }, 'VALIDATION_ERROR', undefined],
  ['an empty title', { title: ' ', body_html: 'x' }, 'VALIDATION_ERROR', undefined],
  ['a slug with capitals', { title: 'A', slug: 'No Way', body_html: 'x' }, 'VALIDATION_ERROR', undefined],
  ['an unknown status', { title: 'A', status: 'gone', body_html: 'x' }, 'VALIDATION_ERROR', undefined],
  ['a text as a number', { title: 'A', body_html: 5 }, 'VALIDATION_ERROR', undefined],
  ['a text that is too long', { title: 'A', body_html: 'x'.repeat(100_001) }, 'VALIDATION_ERROR', undefined],
  ['a taken slug', { title: 'A', slug: 'taken', body_html: 'x' }, 'VALIDATION_ERROR', 'DUPLICATE'],
])('%s is refused', async (what, body, code, reason) => {
  if (what === 'a taken slug') await make({ slug: 'taken' });
  expect(await client.refusal('/pages', 'POST', body)).toEqual([400, code, reason]);
});

it('a draft is read by staff only; a published page by everybody, with an ETag', async () => {
  const draft = await make({ title: 'Secret plans' });
  expect((await app.get(`/api/shop/pages/${draft.slug}`)).status).toBe(404);
  expect((await open(`/shop/pages/${draft.slug}`)).status).toBe(404);
  const { browser } = await member(app, ['content:read']);
  const preview = await browser.open(`/shop/pages/${draft.slug}`);
  expect(preview.status).toBe(200);
  expect(preview.text).toContain('This page is a draft');
  expect(preview.text).toContain('<meta name="robots" content="noindex">');
  const { browser: other } = await member(app, ['orders:read']);
  expect((await other.open(`/shop/pages/${draft.slug}`)).status).toBe(404);
  await client.data(`/pages/${draft.id}`, 'PATCH', { status: 'published' });
  const shown = await app.get(`/api/shop/pages/${draft.slug}`);
  expect(shown.body.data).toEqual({
    slug: draft.slug,
    title: 'Secret plans',
    body_html: '<p>Text</p>',
    seo: { title: null, description: null },
    updated_at: expect.any(String),
  });
  const etag = String(shown.headers.etag);
  const same = await app.get(`/api/shop/pages/${draft.slug}`, undefined, { 'If-None-Match': etag });
  expect(same.status).toBe(304);
  for (const slug of ['no-such', '%00', '..%2f', 'a'.repeat(300), 'A%20B'])
    expect([404, 400]).toContain((await app.get(`/api/shop/pages/${slug}`)).status);
});

it('its page says what search engines read, stands in the footer and in the sitemap', async () => {
  const page = await published({
    title: 'About </title> us',
    body_html: '<p>We &amp; you</p>',
    seo_description: 'Who we are',
  });
  const { status, text } = await open(`/shop/pages/${page.slug}`);
  expect(status).toBe(200);
  expect(text).toContain('<p>We &amp; you</p>');
  expect(text).toContain('About &lt;/title&gt; us');
  expect(text).toContain('<meta name="description" content="Who we are">');
  expect(text).toContain(`<link rel="canonical" href="${app.ctx.baseUrl}/shop/pages/${page.slug}">`);
  expect(text).toContain('<meta property="og:type" content="article">');
  const [about, trail] = [...text.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)].map(
    ([, json = '']) => JSON.parse(json),
  );
  expect(about).toMatchObject({ '@type': 'WebPage', name: 'About </title> us', description: 'Who we are' });
  expect(trail).toMatchObject({ '@type': 'BreadcrumbList' });
  expect((await open('/shop/')).text).toContain(`href="/shop/pages/${page.slug}"`);
  const sitemap = (await app.send('/shop/sitemaps/pages.xml')).text;
  expect(sitemap).toContain(
    `<loc>${app.ctx.baseUrl}/shop/pages/${page.slug}</loc><lastmod>${page.updated_at}</lastmod>`,
  );
});

it('an old slug leads to the page until another page takes it; with the page it goes', async () => {
  const page = await published({ slug: 'shipping' });
  await client.data(`/pages/${page.id}`, 'PATCH', { slug: 'delivery' });
  const moved = await open('/shop/pages/shipping');
  expect([moved.status, moved.headers.location]).toEqual([301, '/shop/pages/delivery']);
  expect((await app.get('/api/shop/pages/shipping')).body.data).toMatchObject({ slug: 'delivery' });
  // Back again: it leads nowhere else.
  await client.data(`/pages/${page.id}`, 'PATCH', { slug: 'shipping' });
  expect((await open('/shop/pages/shipping')).status).toBe(200);
  expect((await open('/shop/pages/delivery')).headers.location).toBe('/shop/pages/shipping');
  const other = await published({ slug: 'delivery' });
  expect((await open('/shop/pages/delivery')).status).toBe(200);
  await client.data(`/pages/${page.id}`, 'PATCH', { slug: 'ship' });
  expect(await client.data(`/pages/${page.id}`, 'DELETE')).toEqual({ deleted: true });
  const gone = await Promise.all(['shipping', 'ship'].map((slug) => open(`/shop/pages/${slug}`)));
  expect(gone.map(({ status }) => status)).toEqual([404, 404]);
  expect(await client.refusal(`/pages/${page.id}`, 'DELETE')).toEqual([404, 'NOT_FOUND', undefined]);
  expect(await client.refusal('/pages/pag_no', 'PATCH', { title: 'A' })).toEqual([
    404,
    'NOT_FOUND',
    undefined,
  ]);
  expect((await open(`/shop/pages/${other.slug}`)).status).toBe(200);
});

it('two that take one slug at once: one has it', async () => {
  for (let round = 0; round < 3; round++) {
    const slug = `race-${another()}`;
    const body = { title: 'A', body_html: 'x', slug };
    const answers = await Promise.all([1, 2, 3].map(() => client.send('/pages', 'POST', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  }
});

it('a key needs the scope settings, staff the permission content', async () => {
  const key = async (scope: string) => {
    const input = { service: 'store', name: scope, scope: null, scopes: [scope] } as const;
    return (await apiKeys.create(app.ctx, { ...input, scopes: [scope] })).secret;
  };
  const [reading, writing, other] = [
    await key('settings:read'),
    await key('settings:write'),
    await key('products:write'),
  ];
  const body = { title: 'By a key', body_html: 'x' };
  const statusOf = async (secret: string) => {
    const headers = { Authorization: `Bearer ${secret}` };
    const [read, write] = [
      await app.send('/api/store/pages', { headers }),
      await app.send('/api/store/pages', { method: 'POST', body, headers }),
    ];
    return [read.status, write.status];
  };
  expect(await statusOf(reading)).toEqual([200, 403]);
  expect(await statusOf(writing)).toEqual([200, 201]);
  expect(await statusOf(other)).toEqual([403, 403]);
  const [marketing, catalogue] = [await storeClient(app, 'marketing'), await storeClient(app, 'catalogue')];
  expect((await marketing.send('/pages', 'POST', body)).status).toBe(201);
  expect((await catalogue.send('/pages')).status).toBe(403);
  expect((await app.get('/api/store/pages')).status).toBe(401);
});

it('staff write, change and remove a page by the forms of the panel', async () => {
  const { browser } = await member(app);
  const title = `House rules ${another()}`;
  const sent = await browser.submit('/store/pages/new', {
    title,
    bodyMarkdown: '*Be kind*',
    status: 'published',
  });
  expect(sent.status).toBe(303);
  const { text } = await browser.open(`/store/pages?q=${encodeURIComponent(title)}`);
  const path = /href="(\/store\/pages\/pag_[^"/]*)"/.exec(text)?.[1] ?? '';
  expect(textOf((await browser.open(path)).text)).toContain(title);
  const form = (await browser.open(`${path}/edit`)).text;
  expect(form).toContain('*Be kind*</textarea>');
  expect(form).not.toContain('<em>Be kind');
  const slug = String((await client.data(`/pages/${path.split('/').at(-1)}`)).slug);
  expect((await open(`/shop/pages/${slug}`)).text).toContain('<em>Be kind</em>');
  const changed = { bodyMarkdown: '*Be quiet*', 'was.bodyMarkdown': '*Be kind*' };
  expect((await browser.submit(`${path}/edit`, changed)).status).toBe(303);
  expect((await open(`/shop/pages/${slug}`)).text).toContain('<em>Be quiet</em>');
  const empty = await browser.submit('/store/pages/new', { title: 'Nothing to say' });
  expect(empty.status).toBe(400);
  expect(empty.text).toContain('value="Nothing to say"');
});

const marks = (count: number) => '_a '.repeat(count);
const levels = (count: number) => `${'> '.repeat(count)}a`;

it.each([
  [marks(2001), 'body_markdown: has 2001 of the marks * _ ~ in one paragraph, list or table, more than 2000'],
  [levels(51), 'body_markdown: nests quotes or lists deeper than 50 levels'],
  ['- + '.repeat(30), 'body_markdown: nests quotes or lists deeper than 50 levels'],
  ['>'.repeat(100_000), 'body_markdown: nests quotes or lists deeper than 50 levels'],
])('Markdown that would keep the server from everybody else is refused: %#', async (body_markdown, words) => {
  const { status, body } = await client.send('/pages', 'POST', { title: 'Slow', body_markdown });
  expect([status, body.error_code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error).toContain(words);
});

it('Markdown has many marks in its paragraphs, deep lists, and lines of dashes', async () => {
  const body_markdown = [marks(2000), marks(2000), levels(50), '-'.repeat(200), '* '.repeat(3)].join('\n\n');
  const page = await make({ body_html: undefined, body_markdown });
  expect(String(page.body_html).match(/<blockquote>/g)).toHaveLength(50);
});
