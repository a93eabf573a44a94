// Pages and public answers of the shop, compressed for whoever takes that (decision 0074).
import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { mug, storeClient } from './store-client.ts';

let app: TestApp;
let slug: string;
beforeAll(async () => {
  app = await startApp();
  const client = await storeClient(app);
  const text = `<p>${'Fired twice, by hand. '.repeat(100)}</p>`;
  const made = await client.data('/products', 'POST', mug({ title: 'Ünique "mug"', description_html: text }));
  await client.data(`/products/${made.id}/publish`, 'POST', {});
  slug = String((await client.data(`/products/${made.id}`)).slug);
});
afterAll(() => app.close());

type Raw = { status: number; headers: Record<string, string | undefined>; body: Buffer };

/** As it travels: `fetch` would unpack it. */
const raw = (path: string, headers: Record<string, string> = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    get(app.url + path, { headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers as Raw['headers'],
          body: Buffer.concat(chunks),
        }),
      );
    }).on('error', reject);
  });

const GZIP = { 'Accept-Encoding': 'gzip, deflate, br' };
const withoutToken = (html: string): string => html.replaceAll(/(content|value)="[\w-]{86}"/g, '$1=""');

it('a page is a fraction of its size, kept or not, and says the same', async () => {
  for (const path of [`/shop/products/${slug}`, '/shop/products', '/shop/search?q=mug']) {
    const plain = await raw(path, { 'Accept-Encoding': 'identity' });
    expect([plain.status, plain.headers['content-encoding']]).toEqual([200, undefined]);
    for (const _time of ['made', 'kept']) {
      const { status, headers, body } = await raw(path, GZIP);
      expect([status, headers['content-encoding'], headers['content-length']]).toEqual([
        200,
        'gzip',
        String(body.length),
      ]);
      expect(headers.vary).toContain('Accept-Encoding');
      expect(plain.headers.vary).toBe(headers.vary);
      expect(headers.etag).toBe(plain.headers.etag);
      const html = gunzipSync(body).toString();
      expect(withoutToken(html)).toBe(withoutToken(plain.body.toString()));
      expect(body.length).toBeLessThan(html.length / 2);
    }
    // What was searched for is not kept, and has no tag.
    if (plain.headers.etag === undefined) continue;
    const known = await raw(path, { ...GZIP, 'If-None-Match': String(plain.headers.etag) });
    expect([known.status, known.body.length, known.headers['content-encoding']]).toEqual([304, 0, undefined]);
  }
});

it('each visitor has a token of his own, and the size does not depend on it', async () => {
  const pages = await Promise.all([1, 2, 3].map(() => raw('/shop/products', GZIP)));
  const tokens = pages.map(
    ({ body }) => /csrf-token" content="([\w-]{86})"/.exec(gunzipSync(body).toString())?.[1],
  );
  expect(new Set(tokens).size).toBe(3);
  expect(new Set(pages.map(({ body }) => body.length)).size).toBe(1);
});

it('what programs read is compressed too: JSON, feed, sitemap, style sheet', async () => {
  for (const path of [`/api/shop/products/${slug}`, '/shop/feed.xml']) {
    const plain = await raw(path);
    const packed = await raw(path, GZIP);
    expect([path, packed.headers['content-encoding']]).toEqual([
      path,
      plain.body.length < 1200 ? undefined : 'gzip',
    ]);
    if (packed.headers['content-encoding']) {
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
      expect(packed.headers.etag).toBe(`W/${plain.headers.etag}`);
      expect((await raw(path, { ...GZIP, 'If-None-Match': String(packed.headers.etag) })).status).toBe(304);
    }
  }
});

it('what staff and signed-in people get is not: a secret may stand beside what somebody else wrote', async () => {
  const { secret } = await app.adminToken('owner');
  for (const path of ['/api/store/products', '/api/store/settings/schema', '/admin/login']) {
    const { status, headers } = await raw(path, { ...GZIP, Authorization: `Bearer ${secret}` });
    expect([path, status === 200 || status === 401, headers['content-encoding']]).toEqual([
      path,
      true,
      undefined,
    ]);
  }
});

it('who refuses gzip gets plain text', async () => {
  for (const accepted of ['gzip;q=0', 'identity', '', 'br;q=1, gzip;q=0.000'])
    expect((await raw('/shop/products', { 'Accept-Encoding': accepted })).headers['content-encoding']).toBe(
      undefined,
    );
});
