// Addresses without parameters are found ahead of the router, also with a query string, and answer as it would.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { type EndpointServer, serveEndpoints } from '../../support/endpoint-server.ts';

const query = z.record(z.string(), z.unknown());
let server: EndpointServer;
beforeAll(async () => {
  const base = { method: 'get', summary: 'Query', scope: null, limit: null, replies: {}, query } as const;
  server = await serveEndpoints([
    endpoint({ ...base, path: '/api/exact', handle: async (_ctx, input) => ok({ query: input.query }) }),
    endpoint({
      ...base,
      path: '/api/routed/{id}',
      params: z.object({ id: z.string() }),
      handle: async (_ctx, input) => ok({ query: input.query }),
    }),
  ]);
});
afterAll(() => server.close());

const searches = [
  ...['', '?', '?a=1', '?a=1&b=2', '?a', '?a=', '?=1', '?&&', '?a=%20+b', '?a=%C3%B6', '?a=%ZZ', '?a=1?b=2'],
  ...['?a=1&a=2', '?a[]=1', '?a[b]=1', '?__proto__=1', '?constructor=1', '?a=%00', '?a=b=c', '?a=1;b=2'],
  ...[
    '?a=/api/other',
    `?${'a'.repeat(2000)}=1`,
    `?${Array.from({ length: 1200 }, (_, i) => `k${i}=1`).join('&')}`,
  ],
  ...['#a', '?a=1#b', '#?a=1'],
];

describe('an exact route reads a query string as the router does', () => {
  it.each(searches.map((search) => [search.slice(0, 30), search]))('%j', async (_name, search) => {
    const [exact, routed] = await Promise.all([
      server.send(`/api/exact${search}`),
      server.send(`/api/routed/x${search}`),
    ]);
    expect([exact.status, exact.body.query]).toEqual([routed.status, routed.body.query]);
  });
});

it('a repeated parameter is refused, and a hostile name is only a name', async () => {
  const repeated = await server.send('/api/exact?a=1&a=2');
  expect([repeated.status, repeated.body.error?.message]).toEqual([
    400,
    'query parameter a is given more than once',
  ]);
  const { body } = await server.send('/api/exact?a=1&b=x%20y');
  expect(body.query).toEqual({ a: '1', b: 'x y' });
});

it.each([
  '/api/exact/?a=1',
  '/api/Exact?a=1',
  '/api/exact%3Fa=1',
  '//api/exact?a=1',
  '/api?/exact',
  '/api/exac?t',
])('%s is another address', async (path) => {
  expect((await server.send(path)).status).toBe(404);
});

it('another method is not found, and HEAD is', async () => {
  expect((await server.send('/api/exact?a=1', { method: 'POST' })).status).toBe(404);
  const head = await server.send('/api/exact?a=1', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
});
