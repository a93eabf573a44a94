// The reference of the shop's API: its page and its document, for staff alone (storefront-domain 22, S22).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { documentOf } from '../../src/app/documents.ts';
import { member } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { storeClient } from './store-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

type Document = { openapi: string; paths: Record<string, Record<string, { summary: string }>> };

it('the document is for staff: whole, and the same as the program prints', async () => {
  expect((await app.send('/api-docs.json')).status).toBe(401);
  const { secret } = await app.adminToken('viewer' as 'owner');
  const headers = { Authorization: `Bearer ${secret}` };
  const answer = await app.send('/api-docs.json', { headers });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  const document = answer.body as unknown as Document;
  expect(document).toEqual(JSON.parse(JSON.stringify(documentOf('store'))));
  expect(document.openapi).toMatch(/^3\.0/);
  for (const path of ['/api/store/webhooks', '/api/store/api-keys', '/api/shop/products', '/api-docs.json'])
    expect(Object.keys(document.paths)).toContain(path);
  const again = await app.send('/api-docs.json', {
    headers: { ...headers, 'If-None-Match': String(answer.headers.etag) },
  });
  expect(again.status).toBe(304);
});

it('no API key opens it, which knows the ten scopes only', async () => {
  const client = await storeClient(app);
  const { key } = await client.data('/api-keys', 'POST', { name: 'k', scopes: ['settings:write'] });
  const { status, body } = await app.send('/api-docs.json', { headers: { Authorization: `Bearer ${key}` } });
  expect([status, body.error_code]).toEqual([403, 'AUTH_FORBIDDEN']);
});

it('the page leads strangers to the sign-in, and lists every operation without JavaScript', async () => {
  const stranger = await app.send('/api-docs.html', { headers: { Accept: 'text/html' } });
  expect([stranger.status, stranger.headers.location]).toEqual([303, expect.stringMatching(/\/login\?/)]);
  const { browser } = await member(app);
  const page = await browser.open('/api-docs.html');
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("script-src 'self';");
  for (const text of ['POST /api/store/webhooks', 'Needs webhooks:write or settings:write', 'swagger-ui.'])
    expect(page.text).toContain(text);
  const [address = ''] = /\/assets\/swagger-ui\.[0-9a-f]{16}\.js/.exec(page.text) ?? [];
  expect((await app.send(address)).status).toBe(200);
});
