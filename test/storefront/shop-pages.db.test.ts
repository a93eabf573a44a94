// The shop as shoppers read it: pages without JavaScript, lists with facets, what search engines read (shop-pages 2, 8).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { mug, shirt, storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

/** Makes a product and shows it in the shop. */
async function sold(input: object): Promise<{ id: string; slug: string; version: number }> {
  const made = await client.data('/products', 'POST', input);
  await client.data(`/products/${made.id}/publish`, 'POST', {});
  const product = await client.data(`/products/${made.id}`);
  return { id: made.id, slug: String(product.slug), version: Number(product.version) };
}

const open = (path: string, headers: Record<string, string> = {}) =>
  openBrowser(app.send).open(path, headers);
const titlesIn = (html: string): string[] =>
  [...html.matchAll(/<span class="title">([^<]*)<\/span>/g)].map(([, title = '']) => title);
const structured = (html: string): Record<string, unknown>[] =>
  [...html.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)].map(([, text = '']) =>
    JSON.parse(text),
  );

it('shows a product with its price, options and structured data, and the choice that the address makes', async () => {
  const { slug } = await sold(
    shirt({
      title: 'Linen </script> Shirt',
      brand: 'Nord',
      short_description: 'Light & dry',
      description_html: '<p>Soft</p>',
    }),
  );
  const { status, text, headers } = await open(`/shop/products/${slug}`);
  expect(status).toBe(200);
  expect(headers['cache-control']).toBe('private, no-cache');
  expect(headers.etag).toMatch(/^W\/"/);
  expect(text).toContain('<h1>Linen &lt;/script&gt; Shirt</h1>');
  expect(text).toContain('<b>$20.00</b>');
  expect(text).toContain('<p>Soft</p>');
  const chosen = await open(`/shop/products/${slug}?option.Size=L&option.Color=Blue`);
  expect(chosen.text).toContain('<b>$22.00</b>');
  expect(chosen.text).toMatch(/value="Blue" checked/);
  const [product, trail] = structured(text);
  expect(product).toMatchObject({
    '@type': 'Product',
    name: 'Linen </script> Shirt',
    brand: { name: 'Nord' },
    description: 'Light & dry',
  });
  const offers = product?.offers as { price: string; priceCurrency: string; url: string }[];
  expect(offers.map(({ price }) => price)).toEqual(['20.00', '22.00', '20.00', '22.00']);
  expect(trail).toMatchObject({ '@type': 'BreadcrumbList' });
  for (const { url } of offers) {
    const { pathname, search } = new URL(url);
    expect((await open(pathname + search)).status).toBe(200);
  }
  expect(text).toContain(`<link rel="canonical" href="${app.ctx.baseUrl}/shop/products/${slug}">`);
});

it('a script gets the parts that change, without the layout', async () => {
  const { slug } = await sold(shirt());
  const { text } = await open(`/shop/products/${slug}?option.Size=L`, { Accept: 'text/html;fragment=1' });
  expect(text).not.toContain('<html');
  expect(text).toContain('data-part');
  expect(text).toContain('<b>$22.00</b>');
});

it('a draft, an archived product and one of tomorrow are not there; what is no longer sold says so', async () => {
  const draft = await client.data('/products', 'POST', mug());
  const { id, slug, version } = await sold(mug());
  expect((await open(`/shop/products/${slug}`)).status).toBe(200);
  const gone = await client.send(`/products/${id}/archive`, 'POST', { version });
  expect(gone.status).toBe(200);
  const found = await Promise.all(
    [`${draft.slug}`, slug, 'no-such-product', '%00', 'a'.repeat(400)].map((one) =>
      open(`/shop/products/${one}`),
    ),
  );
  expect(found.map(({ status }) => status)).toEqual([404, 410, 404, 404, 404]);
  expect(found[1]?.text).toContain('This product is no longer sold');
  expect(found[0]?.text).toContain('name="q"');
});

it('an old slug leads to the new one for ever', async () => {
  const { id, slug, version } = await sold(mug());
  await client.data(`/products/${id}`, 'PATCH', { slug: `${slug}-new`, version });
  const { status, headers } = await open(`/shop/products/${slug}`);
  expect([status, headers.location]).toEqual([301, `/shop/products/${slug}-new`]);
});

it('lists are narrowed by facets that hold together, sorted and paged; what the address says wrongly is as if it said nothing', async () => {
  const brand = 'Facet House';
  for (const [title, price, before] of [
    ['Facet Alpha', 1000, 1500],
    ['Facet Beta', 3000, null],
    ['Facet Gamma', 2000, null],
  ] as const)
    await sold(
      mug({
        title,
        brand,
        tags: [title],
        variants: [{ sku: title, price_cents: price, compare_at_cents: before }],
      }),
    );
  await sold(shirt({ title: 'Facet Shirt', brand }));
  const list = async (query: string): Promise<string[]> =>
    titlesIn((await open(`/shop/products?brand=${encodeURIComponent(brand)}&${query}`)).text);
  expect(await list('sort=price_asc')).toEqual(['Facet Alpha', 'Facet Gamma', 'Facet Shirt', 'Facet Beta']);
  expect(await list('sort=name')).toEqual(['Facet Alpha', 'Facet Beta', 'Facet Gamma', 'Facet Shirt']);
  expect(await list('on_sale=1')).toEqual(['Facet Alpha']);
  expect(await list('min=15&max=20.50&sort=price_asc')).toEqual(['Facet Gamma', 'Facet Shirt']);
  expect(await list('option.Color=Red')).toEqual(['Facet Shirt']);
  expect(await list('option.Color=Red&option.Color=Green')).toEqual(['Facet Shirt']);
  expect(await list('option.Color=Green')).toEqual([]);
  expect(await list('tag=facet+alpha,facet+beta&sort=name')).toEqual(['Facet Alpha', 'Facet Beta']);
  expect(await list('sort=no-such&page=0&min=abc&unknown=1')).toHaveLength(4);
  for (const page of ['0', '-1', '1e9', '1.5', 'x', '']) expect(await list(`page=${page}`)).toHaveLength(4);
  const beyond = await open('/shop/products?page=1000000');
  expect(beyond.status).toBe(404);
  expect(beyond.text).toContain('Go to the first page');
  const hostile = await open(`/shop/products?brand=${encodeURIComponent('"><script>alert(1)</script>')}`);
  expect([hostile.status, hostile.text.includes('<script>alert')]).toEqual([200, false]);
});

it('is found by title, tag, brand and SKU, without case and accents', async () => {
  await sold(
    mug({
      title: 'Crème Brûlée Torch',
      tags: ['dessert'],
      variants: [{ sku: 'TORCH-77', price_cents: 100 }],
    }),
  );
  for (const q of ['creme', 'BRULEE torch', 'dessert', 'torch-77', 'brûl'])
    expect(titlesIn((await open(`/shop/search?q=${encodeURIComponent(q)}`)).text)).toEqual([
      'Crème Brûlée Torch',
    ]);
  const nothing = await open('/shop/search?q=%22%3Cimg%20onerror%3E');
  expect([nothing.status, nothing.text.includes('<img')]).toEqual([200, false]);
  for (const q of ['', '%00', '*', '...', '%F0%9F%98%80', 'x'.repeat(900)])
    expect((await open(`/shop/search?q=${q}`)).status).toBe(200);
});

it('the start page shows what sells best once something was sold, and no collection before it has a rule', async () => {
  const first = await sold(mug({ title: 'Sells best' }));
  await sold(mug({ title: 'Newest of all' }));
  const before = (await open('/shop/')).text;
  expect(before).toContain('<a href="/shop/products?sort=newest">');
  expect(before).not.toContain('<h2><a href="/shop/products?sort=best_selling">');
  await app.ctx.tx(({ db }) => db.knex('products').where({ id: first.id }).update({ sales_count: 9 }));
  await client.data(`/products/${first.id}`, 'PATCH', { brand: 'Seller' });
  const input = { title: 'To be ruled', kind: 'rule' };
  const { id, slug } = await client.data('/collections', 'POST', input);
  const after = (await open('/shop/')).text;
  const [, best = ''] = after.split('<h2><a href="/shop/products?sort=best_selling">');
  expect(titlesIn(best)[0]).toBe('Sells best');
  for (const path of ['/shop/', '/shop/collections'])
    expect((await open(path)).text).not.toContain(`/shop/collections/${slug}`);
  const rules = [{ field: 'title', op: 'contains', value: 'Sells' }];
  await client.data(`/collections/${id}`, 'PATCH', { rules });
  for (const path of ['/shop/', '/shop/collections'])
    expect((await open(path)).text).toContain(`/shop/collections/${slug}`);
});

it('a change is seen at once, also where the body of a page is kept', async () => {
  const { id, slug, version } = await sold(mug());
  expect((await open(`/shop/products/${slug}`)).text).toContain('$19.00');
  const product = await client.data(`/products/${id}`);
  const [variant] = product.variants as { id: string }[];
  await client.data(`/variants/${variant?.id}`, 'PATCH', { price_cents: 2100, version });
  expect((await open(`/shop/products/${slug}`)).text).toContain('$21.00');
  expect((await client.send(`/products/${id}/archive`, 'POST', {})).status).toBe(200);
  expect((await open(`/shop/products/${slug}`)).status).toBe(410);
});

it('what is published at a time appears then', async () => {
  const made = await client.data('/products', 'POST', mug({ title: 'Tomorrow Mug' }));
  await client.data(`/products/${made.id}/publish`, 'POST', {
    publish_at: new Date(Date.parse(app.ctx.now()) + 3_600_000).toISOString(),
  });
  expect((await open(`/shop/products/${made.slug}`)).status).toBe(404);
  expect((await open('/shop/products?sort=newest')).text).not.toContain('Tomorrow Mug');
  app.clock.advance(3_601);
  expect((await open(`/shop/products/${made.slug}`)).status).toBe(200);
  expect((await open('/shop/products?sort=newest')).text).toContain('Tomorrow Mug');
});

it('pages that nobody is known to read write no session, and each visitor gets a token of his own', async () => {
  const { slug } = await sold(mug());
  const rows = async () => (await app.changesBy(() => open(`/shop/products/${slug}`))).changes;
  expect((await rows()).events).toEqual([]);
  const [one, other] = [await open(`/shop/products/${slug}`), await open(`/shop/products/${slug}`)];
  const token = (html: string) => /<meta name="csrf-token" content="([^"]+)">/.exec(html)?.[1];
  expect(token(one.text)).toBeTruthy();
  expect(token(one.text)).not.toBe(token(other.text));
  expect(one.headers.etag).toBe(other.headers.etag);
  const same = await open(`/shop/products/${slug}`, { 'If-None-Match': String(one.headers.etag) });
  expect([same.status, same.text]).toEqual([304, '']);
});

it('reads in the language that the address, the browser or the shop asks for', async () => {
  const { slug } = await sold(mug());
  const { text } = await open(`/shop/products/${slug}`, { 'Accept-Language': 'xx, en;q=0.5' });
  expect(text).toContain('<html lang="en" dir="ltr">');
  const arabic = await open(`/shop/products/${slug}?lang=ar`);
  expect(arabic.text).toContain('<html lang="ar" dir="rtl">');
  expect(arabic.text).toContain(`hreflang="ja" href="${app.ctx.baseUrl}/shop/products/${slug}?lang=ja"`);
  const german = await open(`/shop/products/${slug}`, { 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.8' });
  expect(german.text).toContain('<b>19,00\u00a0$</b>');
  expect((await open('/shop/?lang=no-such')).status).toBe(200);
  const browser = openBrowser(app.send);
  await browser.open('/shop/?lang=en');
  expect(browser.cookies.get('lang')).toBe('en');
  await browser.open('/shop/?lang=fr');
  expect((await browser.open('/shop/products')).text).toContain('<html lang="fr"');
});

it('an address of the shop that is none has its page; / leads to the shop once it is open', async () => {
  const lost = await open('/shop/no/such/page');
  expect([lost.status, lost.text.includes('Page not found')]).toEqual([404, true]);
  expect((await open('/')).status).toBe(200);
  expect((await open('/robots.txt')).text).toBe('User-agent: *\nDisallow: /\n');
  expect((await open('/shop/')).text).toContain('<meta name="robots" content="noindex">');
  await client.data('/settings', 'PATCH', { store_open: '1', store_name: 'Harbour <Goods>' });
  const start = await open('/');
  expect([start.status, start.headers.location]).toEqual([303, '/shop/']);
  const home = await open('/shop/');
  expect(home.text).not.toContain('noindex');
  expect(home.text).toContain('Harbour &lt;Goods&gt;');
  expect(structured(home.text).map((one) => one['@type'])).toEqual(['Organization', 'WebSite']);
  expect((await open('/robots.txt')).text).toContain(`Sitemap: ${app.ctx.baseUrl}/sitemap.xml`);
  expect((await open('/shop/products?brand=a&tag=b')).text).toContain('noindex');
});

it('sitemap, feed and manifest name what is shown', async () => {
  const { slug } = await sold(mug({ title: 'Feed & <Mug>' }));
  const index = await open('/sitemap.xml');
  expect(index.headers['content-type']).toBe('application/xml; charset=utf-8');
  const parts = [...index.text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname);
  expect(parts).toEqual(['/shop/sitemaps/pages.xml', '/shop/sitemaps/products-1.xml']);
  const { text } = await open('/shop/sitemaps/products-1.xml');
  expect(text).toContain(`<loc>${app.ctx.baseUrl}/shop/products/${slug}</loc><lastmod>`);
  for (const name of ['products-0.xml', 'products-2.xml', 'products-1', 'x.xml', 'products-99999999999.xml'])
    expect((await open(`/shop/sitemaps/${name}`)).status).toBe(404);
  const feed = await open('/shop/feed.xml');
  expect(feed.text).toContain('<g:title>Feed &#38; &#60;Mug&#62;</g:title>');
  expect(feed.text).toContain('<g:price>19.00 USD</g:price>');
  const manifest = await open('/shop/manifest.webmanifest');
  expect(JSON.parse(manifest.text)).toMatchObject({ start_url: '/shop/' });
});

it('the colors of the shop come as a file whose address changes with them', async () => {
  const themeOf = async () =>
    /href="(\/shop\/theme\/[0-9a-f]{16}\.css)"/.exec((await open('/shop/')).text)?.[1] ?? '';
  const before = await themeOf();
  const { text, headers } = await open(before);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(text).toContain('--brand:#111827');
  await client.data('/settings', 'PATCH', { brand_color: '#ffee00' });
  const after = await themeOf();
  expect(after).not.toBe(before);
  expect((await open(after)).text).toContain('--on-brand:');
  expect((await open(before)).headers['cache-control']).toBe('public, no-cache');
});

it('the public API lists products with facets and shows one, for programs', async () => {
  const { slug } = await sold(shirt({ title: 'Api Shirt', brand: 'Api' }));
  const answer = await app.send('/api/shop/products?brand=api&option.Size=L&sort=price_desc');
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    data: [{ slug, title: 'Api Shirt', price_cents: 2000 }],
    pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 },
    facets: { brand: expect.arrayContaining([{ value: 'Api', count: 1 }]), on_sale: 0 },
  });
  const one = await app.send(`/api/shop/products/${slug}`);
  expect((one.body.data as unknown as { variants: unknown[] }).variants).toHaveLength(4);
  const etag = String(one.headers.etag);
  expect((await app.send(`/api/shop/products/${slug}`, { headers: { 'If-None-Match': etag } })).status).toBe(
    304,
  );
  for (const query of [
    'page=0',
    'page=-1',
    'page=x',
    'per_page=101',
    'sort=cheap',
    'min_price=-1',
    'min_price=1.5',
  ])
    expect([query, (await app.send(`/api/shop/products?${query}`)).status]).toEqual([query, 400]);
  const far = await app.send('/api/shop/products?page=1000000000');
  expect([far.status, (far.body.data as unknown as unknown[]).length]).toEqual([200, 0]);
  expect((await app.send('/api/shop/products/no-such')).status).toBe(404);
});
