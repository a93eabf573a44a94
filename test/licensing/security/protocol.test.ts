// Requests that break or bend HTTP itself (A015 to A019), and paths that do not decode.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { nothing } from '../../support/database-changes.ts';

let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startApp({ metrics: true });
  key = (await app.apiKey('FULL_ADMIN')).secret;
});
afterAll(async () => {
  // Whatever was sent, the process lives and answers.
  expect((await app.get('/api/health')).status).toBe(200);
  await app.close();
});

/** Stands for the API key, which is made before the tests run. */
const KEY = '<key>';
const head = (lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const raw = async (bytes: string | Uint8Array) => {
  const { result, changes } = await app.changesBy(() => app.raw(bytes));
  expect(changes).toEqual(nothing);
  return result;
};

describe('refused before routing', () => {
  const body = '{}';
  const posted = ['POST /api/v1/license/create HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
  it.each([
    ['two Host headers', head(['GET /api/health HTTP/1.1', 'Host: a', 'Host: b'])],
    ['two equal Host headers', head(['GET /api/health HTTP/1.1', 'Host: a', 'hOsT: a'])],
    ['no Host header', head(['GET /api/health HTTP/1.1', 'Accept: */*'])],
    ['no Host header in HTTP/1.0', head(['GET /api/health HTTP/1.0', 'Accept: */*'])],
    ['two Content-Length', head([...posted, 'Content-Length: 2', 'Content-Length: 3']) + body],
    [
      'Content-Length and Transfer-Encoding',
      `${head([...posted, 'Content-Length: 2', 'Transfer-Encoding: chunked'])}0\r\n\r\n`,
    ],
    ['a chunk that is none', `${head([...posted, 'Transfer-Encoding: chunked'])}zz\r\n{}\r\n0\r\n\r\n`],
    ['a header without a colon', head(['GET /api/health HTTP/1.1', 'Host: x', 'Nonsense'])],
    ['a bare CR', 'GET /api/health HTTP/1.1\rHost: x\r\n\r\n'],
    ['no HTTP at all', 'HELLO\r\n\r\n'],
  ])('%s: 400 and closed', async (_what, bytes) => {
    const { status, closed } = await raw(bytes);
    expect([status, closed]).toEqual([400, true]);
  });

  it.each([
    ['a header of 20 kB', head(['GET /api/health HTTP/1.1', 'Host: x', `A: ${'a'.repeat(20_000)}`])],
    // None is dropped in silence: a second credential could hide behind them.
    [
      '2,100 headers',
      head(['GET /api/health HTTP/1.1', 'Host: x', ...Array.from({ length: 2100 }, () => 'a:')]),
    ],
    ['an address of 20 kB', head([`GET /api/health?${'a'.repeat(20_000)} HTTP/1.1`, 'Host: x'])],
  ])('%s: 431', async (_what, bytes) => {
    expect((await raw(bytes)).status).toBe(431);
  });

  it('200 small headers are read', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `X-A${index}: ${'a'.repeat(12)}`);
    const { status } = await raw(head(['GET /api/health HTTP/1.1', 'Host: x', ...many]));
    expect(status).toBe(200);
  });

  it('CONNECT is closed', async () => {
    expect(await raw(head(['CONNECT evil.test:443 HTTP/1.1', 'Host: evil.test:443']))).toEqual({
      text: '',
      status: null,
      closed: true,
    });
  });

  it('an upgrade is not offered', async () => {
    const upgrade = ['GET /api/health HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'];
    expect((await raw(head(upgrade))).status).toBe(200);
  });
});

describe('a header that decides and comes twice', () => {
  const create = [
    'POST /api/v1/license/create HTTP/1.1',
    'Host: x',
    'Content-Length: 2',
    'Connection: close',
  ];
  const json = 'Content-Type: application/json';
  const update = ['GET /api/v1/updates/check?current_version=1.0.0 HTTP/1.1', 'Host: x', 'Connection: close'];
  const admin = ['GET /api/v1/admin/webhooks HTTP/1.1', 'Host: x', 'Connection: close'];
  it.each([
    ['authorization', [...create, json, `X-API-Key: ${KEY}`, 'Authorization: a', 'Authorization: b']],
    ['content-type', [...create, json, 'Content-Type: text/plain', `X-API-Key: ${KEY}`]],
    [
      'content-encoding',
      [...create, json, 'Content-Encoding: gzip', 'Content-Encoding: br', `X-API-Key: ${KEY}`],
    ],
    [
      'x-idempotency-key',
      [...create, json, 'X-Idempotency-Key: a', 'X-Idempotency-Key: b', `X-API-Key: ${KEY}`],
    ],
    ['x-license-key', [...update, 'X-License-Key: AAAA-0000-0000', 'X-License-Key: BBBB-0000-0000']],
    ['x-machine-id', [...update, 'X-License-Key: a', 'X-Machine-ID: machine-1', 'X-Machine-ID: machine-2']],
    ['authorization', [...admin, 'Authorization: Bearer adm_one', 'Authorization: Bearer adm_two']],
    ['x-tenant', [...admin, 'Authorization: Bearer adm_one', 'X-Tenant: default', 'X-Tenant: default']],
    ['if-match', [...admin, 'Authorization: Bearer adm_one', 'If-Match: "a"', 'If-Match: "b"']],
  ])('%s: 400, whoever asks', async (name, lines) => {
    const isChange = name === 'if-match';
    const asked = lines.map((line) => line.replaceAll(KEY, key));
    if (isChange) asked[0] = 'PATCH /api/v1/admin/webhooks/whk_x HTTP/1.1';
    const { status, text } = await raw(`${head(asked)}${lines.includes('Content-Length: 2') ? '{}' : ''}`);
    expect(status).toBe(400);
    expect(text).toContain(`header ${name} is given more than once`);
    expect(text).toContain('"code":"VALIDATION_ERROR"');
    expect(text).toMatch(/"requestId":"req_/);
  });

  it.each([[KEY], [''], ['alk_other']])(
    'X-API-Key, and again as "%s": joined they are unknown (A035)',
    async (second) => {
      const lines = [...create, json, `X-API-Key: ${second}`, `X-API-Key: ${KEY}`];
      const { status, text } = await raw(`${head(lines.map((line) => line.replaceAll(KEY, key)))}{}`);
      expect(status).toBe(401);
      expect(text).toContain('"code":"INVALID_API_KEY"');
    },
  );

  it('metrics: two Authorization headers are 400 as well', async () => {
    const asked = ['GET /metrics HTTP/1.1', 'Host: x', 'Connection: close', 'Authorization: a'];
    expect((await raw(head(asked))).status).toBe(200);
    expect((await raw(head([...asked, 'Authorization: b']))).status).toBe(400);
  });

  it('lists may come in several lines: X-Forwarded-For, Accept', async () => {
    const lines = ['GET /api/v1/products HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, 'Connection: close'];
    const lists = ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-For: 192.0.2.2', 'Accept: a/b', 'Accept: c/d'];
    expect((await raw(head([...lines, ...lists]))).status).toBe(200);
  });

  it('inbound webhooks stay 200: a signature that comes twice is a wrong one', async () => {
    const lines = ['POST /api/v1/webhooks/inbound/inb_x HTTP/1.1', 'Host: x', 'Content-Length: 2'];
    const twice = ['X-Webhook-Signature: a', 'X-Webhook-Signature: b', json, json, 'Connection: close'];
    expect((await raw(`${head([...lines, ...twice])}{}`)).status).toBe(200);
  });
});

describe('methods', () => {
  it.each(['TRACE', 'PROPFIND', 'OPTIONS', 'PURGE'])('%s is 404 in the envelope', async (method) => {
    const { status, text } = await raw(
      head([`${method} /api/v1/products HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`]),
    );
    expect(status).toBe(404);
    expect(text).toContain('"code":"NOT_FOUND"');
    expect(text).not.toContain(key);
  });

  it('a method that does not exist is 400', async () => {
    expect((await raw(head(['FETCH /api/v1/products HTTP/1.1', 'Host: x']))).status).toBe(400);
  });

  it.each([
    [{ 'X-HTTP-Method-Override': 'DELETE' }, ''],
    [{ 'X-Method-Override': 'GET' }, ''],
    [{}, '?_method=delete'],
  ])('%j %j is judged as the POST that it is', async (headers, query) => {
    const sent = { productId: 'prd_x', customerEmail: 'a@x.test', _method: 'delete' };
    const reply = await app.post(
      `/api/v1/license/create${query}`,
      sent,
      key,
      headers as Record<string, string>,
    );
    expect([reply.status, reply.body.error?.message]).toEqual([404, 'product prd_x was not found']);
  });

  it('HEAD answers like GET, without a body', async () => {
    const reply = await app.send('/api/v1/products', { method: 'HEAD', key });
    expect([reply.status, reply.text]).toEqual([200, '']);
  });
});

describe('paths', () => {
  it.each([
    '/api/v1/license/check/%zz',
    '/api/v1/license/check/%ff',
    '/api/v1/license/check/%C0%AF',
    '/api/v1/license/check/%ED%A0%80',
    '/api/v1/license/check/%00',
    '/api/v1/license/check/a%2Fb',
    '/api/v1/license/check/a/b',
    '/api/v1/license/check/..',
    '/api/v1/license/check/%2e%2e%2fproducts',
    '/api/v1/license/check/../products',
    '/api/v1/license//check/k',
    '//api/v1/products',
    '/api/v1/products;x=1',
    '/api/%2e%2e/api/v1/products',
  ])('%s is 404 and no other endpoint', async (path) => {
    const { status, text } = await raw(head([`GET ${path} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`]));
    expect(status).toBe(404);
    expect(text).not.toContain('"success":true');
  });

  it('every answer of the API names its request, also when the path does not decode (6.6)', async () => {
    for (const path of ['/api/v1/license/check/%zz', '/api/nothing', '/api/v1/products', '/api/health']) {
      const reply = await app.get(path);
      expect(reply.headers['x-request-id']).toMatch(/^req_[0-9A-Z]{26}$/);
      expect(reply.headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

it('answers carry the common headers and none that names the program', async () => {
  const { headers } = await app.get('/api/v1/products', key);
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  for (const name of ['x-powered-by', 'server', 'etag', 'access-control-allow-origin', 'set-cookie'])
    expect(headers[name]).toBeUndefined();
});
