// What an answer carries beside its body, and where it may lead.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoint, ok, redirect } from '#kernel/http/endpoint.ts';
import type { Exchange } from '#kernel/http/exchange.ts';
import { sharedKey } from '#kernel/http/limit-key.ts';
import type { RateLimit } from '#kernel/http/rate-limit.ts';
import { type Cookie, isOwnPath, redirectAddress } from '#kernel/http/reply.ts';
import { addHead } from '#kernel/http/reply-head.ts';
import { type EndpointServer, serveEndpoints } from '../../support/endpoint-server.ts';

let server: EndpointServer;
beforeAll(async () => {
  const base = { summary: 'Sample', scope: null, limit: null, replies: { 200: z.object({}) } } as const;
  server = await serveEndpoints([
    endpoint({
      ...base,
      method: 'get',
      path: '/api/kept',
      handle: async () => ({
        ...ok({ a: 1 }),
        head: {
          headers: { 'X-Sample': '1' },
          cookies: [{ name: 'seen', value: '1' }],
          cache: { by: 'private', maxAgeSeconds: 0, etag: '"v1"' },
        },
      }),
    }),
    endpoint({ ...base, method: 'get', path: '/api/plain', handle: async () => ok({ a: 1 }) }),
    endpoint({ ...base, method: 'post', path: '/api/go', handle: async () => redirect('/shop/ü?x=1') }),
  ]);
});
afterAll(() => server.close());

describe('an answer of an API', () => {
  it('carries headers, cookies and its cache rule', async () => {
    const { status, headers, body } = await server.send('/api/kept');
    expect([status, body]).toEqual([200, { success: true, a: 1 }]);
    expect(headers).toMatchObject({
      'x-sample': '1',
      'set-cookie': ['seen=1; Path=/; HttpOnly; SameSite=Lax'],
      'cache-control': 'private, no-cache',
      etag: '"v1"',
    });
  });

  it('is 304 for who knows it', async () => {
    const { status, headers, text } = await server.send('/api/kept', { headers: { 'If-None-Match': '*' } });
    expect([status, text, headers['content-type'], headers.etag]).toEqual([304, '', undefined, '"v1"']);
    expect(server.observed.at(-1)).toEqual(['GET', '/api/kept', 304, null]);
  });

  it('is kept by nobody unless it says so', async () => {
    const { headers } = await server.send('/api/plain');
    expect([headers['cache-control'], headers['set-cookie']]).toEqual(['no-store', undefined]);
  });

  it('leads to another address', async () => {
    const { status, headers, text } = await server.send('/api/go', { method: 'POST' });
    expect([status, headers.location, text]).toEqual([303, '/shop/%C3%BC?x=1', '']);
  });
});

describe('cookies', () => {
  const textOf = (cookie: Cookie, isHttps: boolean, before?: string): unknown => {
    const exchange = { headers: before ? { 'Set-Cookie': before } : {}, req: {} } as unknown as Exchange;
    addHead(exchange, { cookies: [cookie] }, isHttps);
    return exchange.headers['Set-Cookie'];
  };

  it('are sent over https only, where the installation is reached so', () => {
    const all: Cookie = {
      name: 'a',
      value: 'b c',
      path: '/x',
      domain: 'x.test',
      maxAgeSeconds: 9,
      sameSite: 'none',
    };
    expect(textOf(all, true)).toEqual([
      'a=b%20c; Max-Age=9; Domain=x.test; Path=/x; HttpOnly; Secure; SameSite=None',
    ]);
    expect(textOf({ name: 'a', value: '', secure: false }, true)).toEqual([
      'a=; Path=/; HttpOnly; SameSite=Lax',
    ]);
  });

  it('stand beside those that were set before', () => {
    expect(textOf({ name: 'a', value: '1' }, false, 'x=1')).toEqual([
      'x=1',
      'a=1; Path=/; HttpOnly; SameSite=Lax',
    ]);
  });

  it.each<Cookie>([
    { name: 'a b', value: '' },
    { name: 'a=', value: '' },
    { name: '', value: '' },
    { name: 'a', value: '', path: '/;Secure' },
    { name: 'a', value: '', domain: 'x\r\nX-Y: 1' },
  ])('cannot be %j', (cookie) => {
    expect(() => textOf(cookie, false)).toThrow(/cookie/);
  });
});

describe('a path of this installation', () => {
  it.each(['/', '/admin/', '/a/b?x=1&y=//z', '/a%20b', '/ü', '/a?next=https://x.test/#y'])(
    'is %s',
    (path) => {
      expect(isOwnPath(path)).toBe(true);
      expect(redirectAddress(path)).toBe(new URL(path, 'http://x').href.slice('http://x'.length));
    },
  );

  it.each([
    '',
    'admin',
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/%09/evil.test',
    '/%2fevil.test',
    '/%5cevil.test',
    '/\t/evil.test',
    '/a\r\nX-Y: 1',
    '/%zz',
    '/.//evil.test',
    '/..//evil.test',
    '/a/..//evil.test',
    '/%2e//evil.test',
    '/x/%2e%2e//evil.test',
    'https:evil.test',
    'javascript:alert(1)',
    ' /admin',
  ])('is not %j', (path) => {
    expect(isOwnPath(path)).toBe(false);
    expect(() => redirectAddress(path)).toThrow('is not a path of this installation');
  });
});

it('too many keys are counted together, those of credentials and accounts never', () => {
  const shared = (by: RateLimit['by'], key: string): string =>
    sharedKey({ bucket: 'b', max: 1, windowSeconds: 1, by }, key);
  const digest = 'c0ffee00';
  expect(shared('ip', '203.0.113.9')).toBe('203.0.0.0/16');
  expect(shared('session', '2001:db8::/64')).toBe('2001:db8::/32');
  expect([shared('session', digest), shared('email', digest)]).toEqual(['c0f', 'c0f']);
  expect([shared('credential', digest), shared('account', 'adm_1')]).toEqual([digest, 'adm_1']);
});
