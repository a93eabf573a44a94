// The interactive API reference: there in development, absent in production (spec, "What the service does" 11; D33).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

const addresses = [
  ['/api/docs', 'text/html'],
  ['/api/docs/start.js', 'text/javascript'],
  ['/api/docs/page.css', 'text/css'],
  ['/api/docs/swagger-ui.js', 'text/javascript'],
  ['/api/docs/swagger-ui.css', 'text/css'],
  ['/api/docs/favicon.png', 'image/png'],
  ['/api/docs/openapi.json', 'application/json'],
  ['/api/docs/admin.openapi.json', 'application/json'],
] as const;

let development: TestApp;
let production: TestApp;
beforeAll(async () => {
  [development, production] = await Promise.all([
    startApp({ productionMode: false }),
    startApp({ productionMode: true }),
  ]);
});
afterAll(() => Promise.all([development.close(), production.close()]));

describe.each(addresses)('%s', (address, type) => {
  it('is served in development', async () => {
    const reply = await fetch(development.url + address);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toContain(type);
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(100);
  });

  it('is unknown in production', async () => {
    const reply = await production.get(address);
    expect([reply.status, reply.body.error]).toEqual([
      404,
      { code: 'NOT_FOUND', message: 'No such endpoint' },
    ]);
  });
});

it('every address that the page names is served', async () => {
  const html = await (await fetch(`${development.url}/api/docs`)).text();
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
  expect(named.length).toBeGreaterThan(3);
  for (const address of named) expect((await fetch(development.url + address)).status, address).toBe(200);
});

it('the document lists the endpoints that answer', async () => {
  const { body } = await development.get('/api/docs/openapi.json');
  expect(Object.keys(body.paths as object)).toContain('/api/v1/license/validate');
  expect(body.servers).toEqual([{ url: '/' }]);
});
