// What every declared endpoint of the public API owes its caller, read from the declarations themselves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import type { Sent } from '../support/http-client.ts';
import { publicRows } from './licensing/index.ts';
import type { ContractRow } from './row.ts';

const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
// The admin API has its own test beside this one.
const surfaces = surfacesOf(config).filter(({ name }) => name === 'licensing');
const endpoints = surfaces.flatMap((surface) => surface.endpoints);
const nameOf = ({ method, path }: Endpoint) => `${method.toUpperCase()} ${path}`;

const allScopes = ['VALIDATE_ONLY', 'CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'];

let app: TestApp;
const keys: Record<string, string> = {};
beforeAll(async () => {
  // Every address of its own: the read buckets count by address, and each test wants them full.
  app = await startApp({ limits: 'on', proxyTrust: '127.0.0.1' });
  for (const scope of allScopes) keys[scope] = (await app.apiKey(scope)).secret;
});
afterAll(() => app.close());

let addresses = 0;
const freshAddress = () => {
  addresses += 1;
  return { 'X-Forwarded-For': `203.0.113.${addresses}` };
};
const pathOf = ({ path }: Endpoint) => path.replaceAll(/\{\w+\}/g, 'APP-0000-0000-0000-0000');
const call = (endpoint: Endpoint, sent: Sent & { path?: string }) =>
  app.send(sent.path ?? pathOf(endpoint), {
    method: endpoint.method.toUpperCase(),
    key: sent.key,
    body: sent.body ?? (endpoint.body ? {} : undefined),
    headers: { ...freshAddress(), ...sent.headers },
  });

/** Every header that an endpoint with content declares, with any value. */
const declaredHeaders = ({ content }: Endpoint) =>
  Object.fromEntries(
    Object.keys(content?.headers ?? {}).map((name) => [name.toLowerCase(), expect.any(String)]),
  );

it('every declared operation has its row in the tables of its capability', () => {
  expect(endpoints.map(nameOf).sort()).toEqual(Object.keys(publicRows).sort());
});

/** Each operation that fulfils a condition, with its row. */
const named = (fulfils: (endpoint: Endpoint, row: ContractRow) => boolean) =>
  endpoints
    .map((endpoint) => [nameOf(endpoint), endpoint, publicRows[nameOf(endpoint)] as ContractRow] as const)
    .filter(([, endpoint, row]) => fulfils(endpoint, row));

it('an API key is asked for where the specification names scopes, and nowhere else', () => {
  const open = named((endpoint) => endpoint.scope === null).map(([name]) => name);
  expect(open).toEqual(named((_endpoint, { scopes }) => scopes === null).map(([name]) => name));
});

it('who guesses is refused where the request itself carries the credential, and nowhere else', () => {
  const guarded = named((endpoint) => endpoint.guarded === true).map(([name]) => name);
  expect(guarded).toEqual(named((endpoint) => endpoint.admit !== undefined).map(([name]) => name));
});

describe.each(named(() => true))('%s', (_name, endpoint, row) => {
  it('succeeds with an answer of the declared shape, and nothing that is not declared', async () => {
    const { status, ...sent } = await row.success(app);
    // A key of its own: the write bucket of a shared one would run dry.
    const { secret } = await app.apiKey('FULL_ADMIN');
    const reply = await call(endpoint, { key: secret, ...sent });
    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toBe(endpoint.content?.type ?? 'application/json; charset=utf-8');
    expect(reply.headers['cache-control']).toBe('no-store');
    if (endpoint.content) return expect(reply.headers).toMatchObject(declaredHeaders(endpoint));
    const { success, ...rest } = reply.body;
    expect(success).toBe(true);
    // What comes in from processors is answered 200 also when it is refused: that shape says itself which it is.
    const judged = endpoint.rawBody ? reply.body : rest;
    expect(endpoint.replies[status]?.parse(judged)).toEqual(judged);
  });

  it('carries the limit headers of its bucket on success and on refusal', async () => {
    const { secret } = await app.apiKey('FULL_ADMIN');
    const headers = freshAddress();
    const send = () =>
      app.send(pathOf(endpoint), {
        method: endpoint.method.toUpperCase(),
        key: secret,
        headers,
        body: endpoint.body ? {} : undefined,
      });
    for (const used of [1, 2]) {
      const reply = await send();
      if (row.limit === null) {
        expect(Object.keys(reply.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
        continue;
      }
      expect(reply.headers['ratelimit-limit']).toBe(String(row.limit));
      expect(reply.headers['ratelimit-remaining']).toBe(String(row.limit - used));
      const reset = Number(reply.headers['ratelimit-reset']);
      const { windowSeconds = 900 } = row;
      expect(reset).toBeGreaterThan(windowSeconds - 10);
      expect(reset).toBeLessThanOrEqual(windowSeconds);
    }
  });
});

describe.each(named(({ scope }) => scope !== null))('the API key of %s', (_name, endpoint, row) => {
  it('answers 401 without a credential and with one that nobody has', async () => {
    const { result, changes } = await app.changesBy(async () => [
      await call(endpoint, {}),
      await call(endpoint, { key: 'alk_nobody' }),
    ]);
    expect(result.map((reply) => [reply.status, reply.body.error?.code])).toEqual([
      [401, 'API_KEY_REQUIRED'],
      [401, 'INVALID_API_KEY'],
    ]);
    expect(changes).toEqual(nothing);
  });

  it('opens to the scopes of the spec and answers 403 to the others, before the body is looked at', async () => {
    const scopes = row.scopes ?? [];
    const { result, changes } = await app.changesBy(async () => {
      const codes: Record<string, unknown> = {};
      for (const scope of allScopes) {
        const reply = await call(endpoint, { key: keys[scope], body: endpoint.body && 'broken' });
        codes[scope] = reply.status === 403 ? reply.body.error?.code : 'open';
      }
      return codes;
    });
    const expected = allScopes.map((scope) => [
      scope,
      scopes.includes(scope) ? 'open' : 'INSUFFICIENT_SCOPE',
    ]);
    expect(result).toEqual(Object.fromEntries(expected));
    expect(changes).toEqual(nothing);
  });
});

describe.each(named(({ admit }) => admit !== undefined))('the license key of %s', (_name, endpoint) => {
  it('answers 401 without a license key and with one that nobody has, before the input is looked at (D3)', async () => {
    const { result, changes } = await app.changesBy(async () => [
      await call(endpoint, {}),
      await call(endpoint, { headers: { 'X-License-Key': 'APP-0000-0000-0000-0000' } }),
      await call(endpoint, { key: keys.FULL_ADMIN, path: `${pathOf(endpoint)}?nonce=1&nonce=2` }),
    ]);
    for (const reply of result) {
      expect([reply.status, reply.body]).toEqual([
        401,
        {
          success: false,
          error: { code: 'INVALID_LICENSE', message: 'License key is not valid' },
          requestId: reply.headers['x-request-id'],
        },
      ]);
    }
    expect(changes).toEqual(nothing);
  });
});

const withBody = endpoints
  .filter(({ body }) => body)
  .map((endpoint) => [nameOf(endpoint), endpoint] as const);

describe('an endpoint with a body', () => {
  it.each(withBody)(
    '%s answers 400 to an empty body and to an empty object, and stores nothing',
    async (_name, endpoint) => {
      const { secret } = await app.apiKey('FULL_ADMIN');
      const { result, changes } = await app.changesBy(async () => [
        await call(endpoint, { key: secret, body: '' }),
        await call(endpoint, { key: secret, body: {} }),
      ]);
      for (const reply of result) {
        expect(reply.status).toBe(400);
        expect(reply.body).toEqual({
          success: false,
          error: {
            code: 'VALIDATION_ERROR',
            message: expect.any(String),
            details: { issues: expect.any(Array) },
          },
          requestId: reply.headers['x-request-id'],
        });
      }
      expect(changes).toEqual(nothing);
    },
  );
});

describe('outside of the declared endpoints', () => {
  const unknown = (surface: (typeof surfaces)[number]) => [
    ['GET', `${surface.prefixes[0]}/v1/nothing`],
    ['GET', `${surface.prefixes[0]}`],
    ...surface.endpoints.map(({ path, method }) => [method === 'get' ? 'POST' : 'GET', path]),
    ...surface.endpoints.map(({ path, method }) => [method.toUpperCase(), `${path.replace('{key}', 'k')}/`]),
    ...surface.endpoints.map(({ path, method }) => [
      method.toUpperCase(),
      path.replace('{key}', 'k').replace('/v1/', '/V1/'),
    ]),
    ['PUT', surface.endpoints[0]?.path],
    ['DELETE', surface.endpoints[0]?.path],
    ['PATCH', surface.endpoints[0]?.path],
  ];

  it.each(surfaces.flatMap(unknown) as [string, string][])(
    '%s %s is 404 in the envelope',
    async (method, path) => {
      const { result, changes } = await app.changesBy(() =>
        app.send(path, { method, key: keys.FULL_ADMIN, headers: freshAddress() }),
      );
      expect(result.status).toBe(404);
      expect(result.body).toEqual({
        success: false,
        error: { code: 'NOT_FOUND', message: 'No such endpoint' },
        requestId: expect.stringMatching(/^req_[0-9A-Z]{26}$/),
      });
      expect(changes).toEqual(nothing);
    },
  );
});
