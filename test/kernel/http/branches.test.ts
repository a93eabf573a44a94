import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Branches } from '#kernel/http/branches.ts';

const routes = [
  '/api/shop/products/:slug',
  '/api/shop/products/:slug/variants',
  '/api/shop/:area/latest',
  '/api/v1/admin/licenses/:id/seats/:seat',
  '/api/v1/admin/licenses/counts',
  '/files/:name.csv',
];

let server: Server;
let url: string;
beforeAll(async () => {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  const branches = new Branches();
  for (const route of routes)
    branches.add('get', route, (req, res) => void res.json({ route, ...(req.params as object) }));
  app.use(branches.handle);
  app.use((req, res) => void res.status(404).json({ route: null, method: req.method }));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

it.each([
  ['/api/shop/products/blue-mug', { route: routes[0], slug: 'blue-mug' }],
  ['/api/shop/products/caf%C3%A9?q=1', { route: routes[0], slug: 'café' }],
  ['/api/shop/products/a/variants', { route: routes[1], slug: 'a' }],
  // A branch with more fixed parts has no such route: the wider one is asked.
  ['/api/shop/products/latest', { route: routes[0], slug: 'latest' }],
  ['/api/shop/pages/latest', { route: routes[2], area: 'pages' }],
  ['/api/v1/admin/licenses/l1/seats/2', { route: routes[3], id: 'l1', seat: '2' }],
  ['/api/v1/admin/licenses/counts', { route: routes[4] }],
  ['/files/a.csv', { route: routes[5], name: 'a' }],
])('%s', async (path, expected) => {
  expect(await (await fetch(url + path)).json()).toEqual(expected);
});

it.each([
  '/',
  '/api',
  '/api/shop',
  '/api/shop/products/',
  '/API/shop/products/a',
  '/api/shop/products/a/',
  '//api/shop/x',
])('%s is nobody’s', async (path) => {
  expect((await fetch(url + path)).status).toBe(404);
});

it('leaves other methods, and OPTIONS, to what comes after it', async () => {
  for (const method of ['POST', 'OPTIONS']) {
    const answer = await fetch(`${url}/api/shop/products/a`, { method });
    expect([answer.status, await answer.json()]).toEqual([404, { route: null, method }]);
  }
});

it('refuses a route that begins with what varies', () => {
  expect(() => new Branches().add('get', '/:all', () => undefined)).toThrow(
    '/:all begins with nothing fixed',
  );
});
